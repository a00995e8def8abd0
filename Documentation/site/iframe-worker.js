// Search runs in a Worker, which browsers refuse to pages that are opened from the file system. There a hidden frame, which
// they allow, takes the Worker's place: it loads the same script and exchanges the same messages.
;(function () {
  if (location.protocol !== "file:") return

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.appendChild(this.frame)
      // What a Worker's script finds in its own scope.
      const scope = this.frame.contentWindow
      scope.importScripts = (...urls) =>
        urls.reduce((before, next) => before.then(() => this.load(next)), Promise.resolve())
      scope.postMessage = (data) => queueMicrotask(() => this.deliver(data))
      this.ready = this.load(String(url))
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const inner = this.frame.contentDocument
        const script = inner.createElement("script")
        script.src = url
        script.onload = resolve
        script.onerror = () => reject(new Error("could not load " + url))
        inner.body.appendChild(script)
      })
    }

    deliver(data) {
      const message = new MessageEvent("message", { data })
      this.dispatchEvent(message)
      if (this.onmessage) this.onmessage(message)
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }

  // The search script looks for this name in its parent to find its languages.
  window.IFrameWorker = window.Worker = IFrameWorker
})()
