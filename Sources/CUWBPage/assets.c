#include "CUWBPage.h"

// Debian's package holds the library, and no copy of it is kept here. UWB_DYGRAPHS names another place (Package.swift).
#ifndef UWB_DYGRAPHS
#define UWB_DYGRAPHS "/usr/share/javascript/dygraphs/dygraph.min.js"
#endif

#pragma clang diagnostic ignored "-Wc23-extensions"

#if __has_embed(UWB_DYGRAPHS)
static const unsigned char library[] = {
#embed UWB_DYGRAPHS
};
#else
#error "dygraphs is missing, which draws the charts of HTML pages. Install Debian's libjs-dygraphs (scripts/setup), or set UWB_DYGRAPHS to the path of a dygraph.min.js 2.2."
static const unsigned char library[] = {0};
#endif

// In the order in which they use each other; each ends with a line break.
static const unsigned char script[] = {
#embed "data.js"
  ,
#embed "cursor.js"
  ,
#embed "chart.js"
  ,
#embed "touch.js"
  ,
#embed "events.js"
  ,
#embed "waterfall.js"
  ,
#embed "picture.js"
  ,
#embed "page.js"
};

static const unsigned char style[] = {
#embed "page.css"
};

uwb_page_asset uwb_page_library(void) { return (uwb_page_asset){library, sizeof library}; }
uwb_page_asset uwb_page_script(void) { return (uwb_page_asset){script, sizeof script}; }
uwb_page_asset uwb_page_style(void) { return (uwb_page_asset){style, sizeof style}; }
