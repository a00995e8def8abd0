// The C interface of UWBDSP: first paths in CIRs, captures, replay, tracking. Documentation/reference/Python.md has the same from Python.
//
// Status.    Every function that can fail returns a uwb_status. With UWB_BAD_ARGUMENT or UWB_BAD_INPUT it sets *message, where `message`
//            is not NULL, to a text in UTF-8 that names file, place and remedy. Free it by uwb_free. Otherwise *message becomes NULL.
// Options.   An array of texts, spelt as on the command line: {"--profile", "dw3000", "--calibration", "cal.json"}. `uwb replay --help`
//            lists them.
// Handles.   uwb_…_create and uwb_…_open hand out a handle. The caller owns it, and ends it once by its uwb_…_destroy, which takes NULL, too.
// Threads.   A uwb_engine may be used by any number of threads at once. Every other handle is one thread's at a time. No function keeps
//            a pointer that it was given once it has returned.
// Stopping.  Long calls poll `stop`, where it is not NULL: once another thread has stored a number other than 0 there (atomically), they
//            return UWB_INTERRUPTED within about 50 ms.
// Absent     numbers are NaN, absent codes −1.
//
// Call uwb_abi first: a library of another number than UWB_ABI has other structures than this header.
#ifndef UWB_H
#define UWB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UWB_ABI 1

typedef int32_t uwb_status;
enum {
  UWB_OK = 0,
  // There is no next one.
  UWB_END = 1,
  // The call makes no sense.
  UWB_BAD_ARGUMENT = 2,
  // A file can't be read, or doesn't fit.
  UWB_BAD_INPUT = 3,
  // `stop` was set.
  UWB_INTERRUPTED = 4
};

int32_t uwb_abi(void);
// Frees a text that a function handed out; takes NULL, too.
void uwb_free(char *text);

// What a code means.
enum { UWB_PATH_STATUS = 0, UWB_EVENT = 1, UWB_UPDATE_STATUS = 2, UWB_DIRECTION_STATUS = 3, UWB_ESTIMATOR = 4 };
// The name of a code, as the command line writes it; NULL where there is none. Valid for ever.
const char *uwb_name(int32_t kind, int32_t code);

// MARK: First paths

typedef struct uwb_engine uwb_engine;

enum { UWB_INT16 = 0, UWB_FLOAT32 = 1 };

// CIRs in memory: `count` × `antennas` × `taps` complex samples, each a real and an imaginary part side by side. They are read where they lie.
typedef struct {
  // First sample of the first CIR; on an address that is a multiple of the part's size.
  const void *samples;
  size_t count;
  // 1 to 64
  size_t antennas;
  // 1 to 4096
  size_t taps;
  // Bytes from one to the next, of either sign.
  ptrdiff_t cir_stride;
  ptrdiff_t antenna_stride;
  ptrdiff_t tap_stride;
  // Of a part: UWB_INT16 or UWB_FLOAT32, in the machine's byte order.
  int32_t format;
  // What a sample is multiplied by; 0: by --scale, else 1.
  float scale;
  // Time from tap to tap, s; 0: by --tap-spacing, else 1.0016 ns.
  double tap_spacing_s;
  // The chip's own first path, taps; NaN: by --first-path, else unknown.
  double chip_first_path_taps;
} uwb_cirs;

// The first path on one antenna of one CIR: the fields of `uwb paths`.
typedef struct {
  double first_path_taps;
  double first_path_std_taps;
  double first_path_std_m;
  // Of all antennas together.
  double common_first_path_taps;
  // In the CIR's units, scaled.
  double amplitude;
  double phase_deg;
  double phase_std_deg;
  double snr_db;
  // Standard deviation of a tap's noise, in the amplitude's units.
  double noise_std;
  // 0 to 1
  double line_of_sight_probability;
  // UWB_PATH_STATUS
  int32_t status;
  int32_t antenna;
} uwb_path;

uwb_status uwb_engine_create(const char *const *options, size_t count, uwb_engine **engine, char **message);
void uwb_engine_destroy(uwb_engine *engine);
// Names as `--profile` and `--delay` take them. Valid as long as the engine.
const char *uwb_engine_profile(const uwb_engine *engine);
const char *uwb_engine_estimator(const uwb_engine *engine);

// An engine with the pulse that the CIRs show, 48 of them at least, if this one's is plainly wrong; UWB_END where it stays: always with
// --pulse, --calibration and --delay chip. What people should know of it goes to *told, unless that is NULL: NULL, or a text to free by uwb_free.
uwb_status uwb_engine_learn(const uwb_engine *engine, const uwb_cirs *cirs, uwb_engine **learned, char **told, char **message);

// Fills paths[cir · antennas + antenna]. The numbers are the same for any count of threads, 1 to 256.
uwb_status uwb_first_paths(const uwb_engine *engine, const uwb_cirs *cirs, size_t threads, const int32_t *stop,
                           uwb_path *paths, size_t capacity, char **message);

// MARK: Measurements

// One event of a replay: the columns of `uwb replay --output csv`.
typedef struct {
  double time_s;
  double distance_m;
  double distance_std_m;
  double direction[3];
  double azimuth_deg;
  double elevation_deg;
  double azimuth_std_deg;
  double elevation_std_deg;
  double alternative_azimuth_deg;
  double alternative_elevation_deg;
  double raw_distance_m;
  double raw_distance_std_m;
  double calibrated_distance_m;
  double calibrated_distance_std_m;
  double range_bias_m;
  double range_bias_std_m;
  double line_of_sight_probability;
  double first_path_taps_poll;
  double first_path_taps_response;
  double first_path_taps_final;
  double snr_db;
  double clock_offset_ppm;
  double chip_distance_m;
  double chip_raw_distance_m;
  double chip_azimuth_deg;
  double chip_elevation_deg;
  double true_distance_m;
  double true_azimuth_deg;
  double true_elevation_deg;
  // The peer's address.
  uint64_t peer;
  // In its capture, from 0; −1 for a removed peer.
  int64_t exchange;
  // Among the replayed captures, from 0.
  int32_t capture;
  // UWB_EVENT
  int32_t event;
  // UWB_UPDATE_STATUS
  int32_t status;
  // UWB_DIRECTION_STATUS
  int32_t direction_status;
  // UWB_ESTIMATOR
  int32_t fallback;
  int32_t clock_rejections;
} uwb_update;

typedef struct uwb_replay uwb_replay;

// Replays captures, folders and patterns as `uwb replay` does. The options are its own, `--threads` included, but for --output, --pace and
// --shard. Adds the events that are there to *done (atomically), where it is not NULL.
uwb_status uwb_replay_create(const char *const *paths, size_t path_count, const char *const *options, size_t option_count,
                             const int32_t *stop, int64_t *done, uwb_replay **replay, char **message);
void uwb_replay_destroy(uwb_replay *replay);
// All events in order. Valid as long as the replay.
const uwb_update *uwb_replay_updates(const uwb_replay *replay, size_t *count);
// The name of a capture; NULL beyond the last. Valid as long as the replay.
const char *uwb_replay_capture(const uwb_replay *replay, size_t index);
// Counts over all captures, as JSON. Valid as long as the replay.
const char *uwb_replay_summary(const uwb_replay *replay);
// What the command line would tell people beside the data, one a line; NULL where there is nothing. Valid as long as the replay.
const char *uwb_replay_warnings(const uwb_replay *replay);

// MARK: Captures

typedef struct uwb_reader uwb_reader;
typedef struct uwb_exchange uwb_exchange;

// Opens a capture and reads its first exchange.
uwb_status uwb_reader_open(const char *path, const char *const *options, size_t count, uwb_reader **reader, char **message);
void uwb_reader_destroy(uwb_reader *reader);
// Names as `--format` and `--profile` take them. Valid as long as the reader.
const char *uwb_reader_format(const uwb_reader *reader);
const char *uwb_reader_profile(const uwb_reader *reader);
// What was passed over so far, and what does not fit a calibration, one a line; NULL where there is nothing. Free it by uwb_free.
char *uwb_reader_notes(const uwb_reader *reader);
// An engine for the capture's radio, with the reader's options.
uwb_status uwb_reader_engine(const uwb_reader *reader, uwb_engine **engine, char **message);
// The next exchange; UWB_END after the last.
uwb_status uwb_reader_next(uwb_reader *reader, uwb_exchange **exchange, char **message);

// An exchange stays whole when its reader goes on or ends.
void uwb_exchange_destroy(uwb_exchange *exchange);

typedef struct {
  double time_s;
  double chip_distance_m;
  double chip_raw_distance_m;
  double true_distance_m;
  double true_azimuth_deg;
  double true_elevation_deg;
  int64_t index;
  uint64_t peer;
  uint64_t local;
  // Whether `local` is known.
  int32_t has_local;
  // Whether the local device sent the poll.
  int32_t is_local_initiator;
} uwb_exchange_values;

enum { UWB_POLL = 0, UWB_RESPONSE = 1, UWB_SECOND_POLL = 2, UWB_FINAL = 3 };

typedef struct {
  double chip_first_path_taps;
  double received_power_dbm;
  double first_path_power_dbm;
  double carrier_offset_ppm;
  // Ticks of 15.65 ps on the sender's and on the receiver's clock; −1 where unknown.
  int64_t transmitted_ticks;
  int64_t received_ticks;
  // −1 where unknown
  int32_t preamble_count;
  // CIRs: of the preamble, then of each segment of the STS.
  int32_t cirs;
} uwb_message_values;

uwb_status uwb_exchange_get(const uwb_exchange *exchange, uwb_exchange_values *values);
// UWB_END where the exchange has no such message.
uwb_status uwb_exchange_message(const uwb_exchange *exchange, int32_t message, uwb_message_values *values);
// A CIR where it lies: valid as long as the exchange. UWB_END where there is none.
uwb_status uwb_exchange_cir(const uwb_exchange *exchange, int32_t message, int32_t index, uwb_cirs *cir);
// Distance and direction of one exchange alone: no clock is followed, nothing is smoothed.
uwb_status uwb_engine_measure(const uwb_engine *engine, const uwb_exchange *exchange, uwb_update *update);

// MARK: Tracking

typedef struct uwb_tracker uwb_tracker;

typedef struct {
  double distance_m;
  double distance_std_m;
  // 0 to 1
  double line_of_sight_probability;
  int32_t is_outlier;
  int32_t reserved;
} uwb_delivered;

// Smooths the distances to one peer.
uwb_status uwb_tracker_create(uwb_tracker **tracker);
void uwb_tracker_destroy(uwb_tracker *tracker);
// Takes the next distance, m, its standard deviation, m, and what a classifier says of line of sight (0 to 1, or NaN). Times, s, must not
// decrease.
uwb_status uwb_tracker_update(uwb_tracker *tracker, double time_s, double distance_m, double distance_std_m,
                              double line_of_sight_probability, uwb_delivered *delivered, char **message);

// MARK: Estimators of your own

typedef struct uwb_trials uwb_trials;

// What is true of a trial.
typedef struct {
  double first_path_taps;
  // Cramér–Rao bound of the first path's variance.
  double bound_taps_squared;
} uwb_trial;

// The figures of `uwb evaluate delay`.
typedef struct {
  double rmse_m;
  double bias_m;
  double median_m;
  double p90_m;
  double p90_unbiased_m;
  double close_rmse_m;
  double bound_m;
  double ratio;
  double normalised_variance;
  double coverage;
  int64_t trials;
  int64_t close;
  int64_t missed;
  int64_t early;
} uwb_score;

// The simulated trials of `uwb evaluate delay`, by its options --paths, --channel, --cluster, --snr, --noise, --trials and --seed.
uwb_status uwb_trials_create(const char *const *options, size_t count, uwb_trials **trials, char **message);
void uwb_trials_destroy(uwb_trials *trials);
// The channel and the signal-to-noise ratio of a case, from 0; NULL beyond the last. Valid as long as the trials.
const char *uwb_trials_case(const uwb_trials *trials, size_t index, double *snr_db);
// Trials of each case, and taps of each.
void uwb_trials_shape(const uwb_trials *trials, size_t *count, size_t *taps);
// Draws trials of a case into count × taps samples, real and imaginary part, and what is true of them.
uwb_status uwb_trials_draw(uwb_trials *trials, size_t number, size_t first, size_t count, float *samples, uwb_trial *truth,
                           char **message);
// Scores first paths, taps (NaN: none found), with standard deviations, taps (NaN: none stated).
uwb_status uwb_score_delays(const uwb_trial *truth, const double *delays, const double *deviations, size_t count,
                            uwb_score *score);

// MARK: Arrow

struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

// Memory for the structures of the Arrow C data interface. `uwb_free` or the callbacks below free it. NULL where there is none.
void *uwb_allocate(size_t size);
// Release callbacks of structures in which every pointer is `uwb_allocate`'s.
void uwb_arrow_release_schema(struct ArrowSchema *schema);
void uwb_arrow_release_array(struct ArrowArray *array);
// A stream of one array, as `uwb_allocate`'s. It takes both over. NULL where there is no memory: nothing is taken then.
struct ArrowArrayStream *uwb_arrow_stream(struct ArrowSchema *schema, struct ArrowArray *array);
// Destructors of PyCapsules. They release what nobody took.
void uwb_arrow_end_schema_capsule(void *capsule);
void uwb_arrow_end_array_capsule(void *capsule);
void uwb_arrow_end_stream_capsule(void *capsule);

// Whether a flag is set, by whatever thread.
static inline int32_t uwb_is_set(const int32_t *flag) { return flag ? __atomic_load_n(flag, __ATOMIC_RELAXED) : 0; }
// Counts one more, for whatever thread.
static inline void uwb_count(int64_t *count) {
  if (count) __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif
