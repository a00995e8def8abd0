// First paths of CIRs in memory, and delivered distances of a capture, in C.
//   first_paths CAPTURE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "uwb.h"

static void check(uwb_status status, char *message) {
  if (status == UWB_OK || status == UWB_END) return;
  fprintf(stderr, "Error %d: %s\n", status, message ? message : "");
  uwb_free(message);
  exit(1);
}

// A CIR of 1016 taps: noise, and from tap 700.3 on a pulse.
static void make(int16_t *samples, int taps) {
  unsigned random = 1;
  for (int tap = 0; tap < taps; tap++) {
    for (int part = 0; part < 2; part++) {
      random = 1664525u * random + 1013904223u;
      double pulse = exp(-0.7 * pow(tap - 700.3, 2));
      samples[2 * tap + part] = (int16_t)lround(2000 * pulse + (int)(random >> 26) - 31.5);
    }
  }
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "first_paths CAPTURE\n"), 64;
  if (uwb_abi() != UWB_ABI) return fprintf(stderr, "this library is of another version than its header\n"), 1;
  char *message;

  enum { taps = 1016 };
  static int16_t samples[2 * taps];
  make(samples, taps);
  const char *options[] = {"--profile", "dw1000"};
  uwb_engine *engine;
  check(uwb_engine_create(options, 2, &engine, &message), message);
  uwb_cirs cirs = {.samples = samples, .count = 1, .antennas = 1, .taps = taps, .tap_stride = 2 * sizeof(int16_t),
                   .format = UWB_INT16, .chip_first_path_taps = NAN};
  uwb_path path;
  check(uwb_first_paths(engine, &cirs, 1, NULL, &path, 1, &message), message);
  printf("%s, %s: first path at %.2f ± %.2f taps, %.1f dB, %s\n", uwb_engine_profile(engine), uwb_engine_estimator(engine),
         path.first_path_taps, path.first_path_std_taps, path.snr_db, uwb_name(UWB_PATH_STATUS, path.status));
  uwb_engine_destroy(engine);

  // What is wrong is told, and nothing ends the program.
  const char *wrong[] = {"--profile", "dw9000"};
  if (uwb_engine_create(wrong, 2, &engine, &message) != UWB_BAD_INPUT) return 1;
  printf("%s\n", message);
  uwb_free(message);

  // Exchange by exchange.
  uwb_reader *reader;
  uwb_exchange *exchange;
  check(uwb_reader_open(arguments[1], NULL, 0, &reader, &message), message);
  check(uwb_reader_engine(reader, &engine, &message), message);
  check(uwb_reader_next(reader, &exchange, &message), message);
  uwb_update update;
  check(uwb_engine_measure(engine, exchange, &update), NULL);
  printf("%s: the first exchange alone tells %.3f m\n", uwb_reader_format(reader), update.distance_m);
  uwb_exchange_destroy(exchange);
  uwb_reader_destroy(reader);
  uwb_engine_destroy(engine);

  // All of it.
  const char *paths[] = {arguments[1]};
  uwb_replay *replay;
  check(uwb_replay_create(paths, 1, NULL, 0, NULL, NULL, &replay, &message), message);
  size_t events;
  const uwb_update *updates = uwb_replay_updates(replay, &events);
  for (size_t index = 0; index < events && index < 3; index++) {
    printf("%.3f s: %.3f ± %.3f m, %s\n", updates[index].time_s, updates[index].distance_m, updates[index].distance_std_m,
           uwb_name(UWB_UPDATE_STATUS, updates[index].status));
  }
  printf("%s", uwb_replay_summary(replay));
  uwb_replay_destroy(replay);
  return 0;
}
