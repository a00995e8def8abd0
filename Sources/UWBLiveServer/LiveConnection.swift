import NIOCore
import NIOHTTP1
import UWBLive

/// One client's connection: requests in, an answer or a stream out.
final class LiveConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// What a client reads on and on.
  enum Stream {
    case events
    case live(device: String?)
  }

  private let hub: LiveHub
  private var context: ChannelHandlerContext?
  private(set) var stream: Stream?
  private var head: HTTPRequestHead?
  private var hasBody = false
  private var queue: LineQueue<ByteBuffer>
  private var isFinishing = false
  private var sentVersion: Int?
  /// When the client must have done what it is waited for; `nil` where nothing is waited for.
  private var deadline: NIODeadline?
  private var lastSent = NIODeadline.now()

  init(hub: LiveHub) {
    self.hub = hub
    queue = LineQueue(limit: hub.settings.queueBytes)
  }

  // MARK: Channel

  func channelActive(context: ChannelHandlerContext) {
    self.context = context
    guard hub.admit(self) else { return context.close(promise: nil) }
    wait(hub.settings.requestSeconds)
  }

  func channelInactive(context: ChannelHandlerContext) {
    hub.forget(self)
    self.context = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      hasBody = false
    case .body(let bytes):
      hasBody = hasBody || bytes.readableBytes > 0
    case .end:
      guard let head, stream == nil else { return }
      self.head = nil
      answer(head, context)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { pump() }
    context.fireChannelWritabilityChanged()
  }

  // MARK: Answers

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let request = LiveRequest(
      method: head.method.rawValue, target: head.uri, hosts: head.headers["host"], origins: head.headers["origin"],
      fetchSite: head.headers.first(name: "sec-fetch-site"), fetchMode: head.headers.first(name: "sec-fetch-mode"),
      hasBody: hasBody)
    switch hub.gate.route(request) {
    case .file(let file): send(200, file.contentType, file.bytes, head, context)
    case .metrics:
      send(
        200, "text/plain; version=0.0.4; charset=utf-8", Array(hub.feed.metrics(hub.counts).utf8), head, context)
    case .events: begin(.events, "application/x-ndjson; charset=utf-8", head, context)
    case .live(let device): begin(.live(device: device), "text/event-stream; charset=utf-8", head, context)
    case .refusal(let status, let reason):
      send(status, "text/plain; charset=utf-8", Array("\(reason)\n".utf8), head, context)
    }
  }

  private func headers(_ contentType: String) -> HTTPHeaders {
    var headers = HTTPHeaders([("Content-Type", contentType)])
    for (name, value) in LivePageFile.protection { headers.add(name: name, value: value) }
    return headers
  }

  private func send(
    _ status: Int, _ contentType: String, _ body: [UInt8], _ request: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    hub.count { $0.answers[status, default: 0] += 1 }
    var headers = headers(contentType)
    headers.add(name: "Content-Length", value: "\(body.count)")
    if status == 405 { headers.add(name: "Allow", value: "GET, HEAD") }
    // What follows a refused request is not trusted either.
    let isLast = status != 200 || !request.isKeepAlive
    if isLast { headers.add(name: "Connection", value: "close") }
    write(.head(HTTPResponseHead(version: request.version, status: .init(statusCode: status), headers: headers)))
    if request.method != .HEAD { write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
    wait(hub.settings.stallSeconds)
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      if isLast { bound.value.close(promise: nil) }
    }
  }

  private func begin(
    _ stream: Stream, _ contentType: String, _ request: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    guard request.method != .HEAD else { return send(200, contentType, [], request, context) }
    hub.count { counts in
      counts.answers[200, default: 0] += 1
      if case .events = stream { counts.lineClients += 1 } else { counts.pageClients += 1 }
    }
    self.stream = stream
    deadline = nil
    var head = HTTPResponseHead(version: request.version, status: .ok, headers: headers(contentType))
    head.headers.add(name: "Connection", value: "close")
    write(.head(head))
    if case .live = stream { write(.body(.byteBuffer(ByteBuffer(string: "retry: 1000\n\n")))) }
    context.flush()
    hub.connectionChanged()
  }

  private func write(_ part: HTTPServerResponsePart) {
    context?.write(wrapOutboundOut(part), promise: nil)
  }

  private func send(_ bytes: ByteBuffer) {
    context?.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
    lastSent = .now()
  }

  // MARK: Streams

  /// Lines for a reader of the ndjson stream.
  func offer(_ bytes: ByteBuffer, lines: Int) {
    guard !isFinishing else { return }
    let lost = queue.push(bytes, bytes: bytes.readableBytes, lines: lines)
    if lost > 0 { hub.count { $0.droppedLines += lost } }
    pump()
  }

  /// The stream is over: what waits is sent, then the answer ends.
  func finishLines() {
    guard !isFinishing else { return }
    isFinishing = true
    pump()
  }

  private func pump() {
    guard let context, case .events = stream else { return }
    while context.channel.isWritable, let item = queue.pop() {
      switch item {
      case .missing(let count): send(ByteBuffer(string: "{\"event\":\"dropped\",\"lines\":\(count)}\n"))
      case .lines(let bytes): send(bytes)
      }
    }
    if isFinishing, queue.isEmpty { end() }
  }

  /// Whether a page has not yet got the state of this version, or has heard nothing for long.
  func needs(_ version: Int, heartbeat: Double) -> Bool {
    version != sentVersion || NIODeadline.now() - lastSent > .nanoseconds(Int64(heartbeat * 1e9))
  }

  /// A state for a page. One that can't be sent now is forgotten: a newer one will come.
  func offer(state: ByteBuffer, version: Int) {
    guard let context, !isFinishing else { return }
    guard context.channel.isWritable else {
      if version != sentVersion { hub.count { $0.droppedStates += 1 } }
      return
    }
    send(state)
    sentVersion = version
  }

  private func end() {
    guard let context else { return }
    stopWaiting()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
  }

  /// The server ends.
  func sayGoodbye() -> EventLoopFuture<Void> {
    guard let context else { return hub.loopFuture }
    switch stream {
    case .events: finishLines()
    case .live:
      isFinishing = true
      send(ByteBuffer(string: "event: bye\ndata: {}\n\n"))
      end()
    case nil: context.close(promise: nil)
    }
    return context.channel.closeFuture
  }

  func close() { context?.close(promise: nil) }

  // MARK: Time

  private func wait(_ seconds: Double) {
    deadline = .now() + .nanoseconds(Int64(seconds * 1e9))
  }

  private func stopWaiting() {
    // The end of an answer has to be taken, too.
    wait(hub.settings.stallSeconds)
  }

  /// Lets a client go that keeps others' memory: called often.
  func checkTime() {
    guard let context else { return }
    if stream != nil, !isFinishing {
      if context.channel.isWritable {
        deadline = nil
      } else if deadline == nil {
        wait(hub.settings.stallSeconds)
      }
    }
    guard let deadline, deadline < .now() else { return }
    hub.count { $0.timedOut += 1 }
    context.close(promise: nil)
  }
}
