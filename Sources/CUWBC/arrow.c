// Copies and ends structures of the Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html).
//
// Every pointer in such a structure is `uwb_allocate`'s. These callbacks are C because consumers call them at any time: while a Python
// exception is on its way, from threads without Python's lock, and after Python has ended.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uwb.h"

// As the Arrow project publishes them.
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

void *uwb_allocate(size_t size) { return malloc(size); }

// A structure that its consumer moved elsewhere is marked by an absent callback.
#define END(pointer)                                                  \
  do {                                                                \
    if ((pointer) && (pointer)->release) (pointer)->release(pointer); \
    free(pointer);                                                    \
  } while (0)

void uwb_arrow_release_schema(struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; i++) END(schema->children[i]);
  END(schema->dictionary);
  free(schema->children);
  free((void *)schema->format);
  free((void *)schema->name);
  schema->release = NULL;
}

void uwb_arrow_release_array(struct ArrowArray *array) {
  for (int64_t i = 0; i < array->n_children; i++) END(array->children[i]);
  END(array->dictionary);
  for (int64_t i = 0; i < array->n_buffers; i++) free((void *)array->buffers[i]);
  free(array->children);
  free(array->buffers);
  array->release = NULL;
}

// MARK: Streams

struct contents {
  struct ArrowSchema schema;
  struct ArrowArray array;
};

static struct ArrowSchema *new_copy(const struct ArrowSchema *schema);

// Returns 0, or ENOMEM with nothing left behind.
static int copy_schema(const struct ArrowSchema *schema, struct ArrowSchema *copy) {
  memset(copy, 0, sizeof *copy);
  copy->flags = schema->flags;
  copy->release = uwb_arrow_release_schema;
  copy->format = strdup(schema->format);
  copy->name = strdup(schema->name);
  copy->children = malloc((size_t)schema->n_children * sizeof *copy->children);
  int is_whole = copy->format && copy->name && (copy->children || !schema->n_children);
  for (int64_t i = 0; is_whole && i < schema->n_children; i++) {
    is_whole = (copy->children[i] = new_copy(schema->children[i])) != NULL;
    copy->n_children += is_whole;
  }
  if (is_whole && schema->dictionary) is_whole = (copy->dictionary = new_copy(schema->dictionary)) != NULL;
  if (is_whole) return 0;
  uwb_arrow_release_schema(copy);
  return ENOMEM;
}

static struct ArrowSchema *new_copy(const struct ArrowSchema *schema) {
  struct ArrowSchema *copy = malloc(sizeof *copy);
  if (!copy || !copy_schema(schema, copy)) return copy;
  free(copy);
  return NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema) {
  return copy_schema(&((struct contents *)stream->private_data)->schema, schema);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *array) {
  struct contents *contents = stream->private_data;
  *array = contents->array;
  contents->array.release = NULL;
  return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return "out of memory";
}

static void release_stream(struct ArrowArrayStream *stream) {
  struct contents *contents = stream->private_data;
  if (contents->schema.release) contents->schema.release(&contents->schema);
  if (contents->array.release) contents->array.release(&contents->array);
  free(contents);
  stream->release = NULL;
}

struct ArrowArrayStream *uwb_arrow_stream(struct ArrowSchema *schema, struct ArrowArray *array) {
  struct ArrowArrayStream *stream = malloc(sizeof *stream);
  struct contents *contents = malloc(sizeof *contents);
  if (!stream || !contents) {
    free(stream);
    free(contents);
    return NULL;
  }
  *contents = (struct contents){*schema, *array};
  schema->release = NULL;
  array->release = NULL;
  *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, contents};
  return stream;
}

// MARK: PyCapsules

// Python's. Absent in programs without it, which have no capsules.
extern void *PyCapsule_GetPointer(void *capsule, const char *name) __attribute__((weak));

void uwb_arrow_end_schema_capsule(void *capsule) {
  struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
  END(schema);
}

void uwb_arrow_end_array_capsule(void *capsule) {
  struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
  END(array);
}

void uwb_arrow_end_stream_capsule(void *capsule) {
  struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  END(stream);
}
