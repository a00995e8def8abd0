#ifndef CUWB_PAGE_H
#define CUWB_PAGE_H

#include <stddef.h>

/// A file that is part of the program.
typedef struct {
  const unsigned char *bytes;
  size_t count;
} uwb_page_asset;

/// dygraphs, the chart library: minified JavaScript.
uwb_page_asset uwb_page_library(void);

/// The pages' own JavaScript.
uwb_page_asset uwb_page_script(void);

/// The pages' stylesheet.
uwb_page_asset uwb_page_style(void);

#endif
