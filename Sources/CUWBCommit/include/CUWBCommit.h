#ifndef CUWB_COMMIT_H
#define CUWB_COMMIT_H

/// The commit that this was built from, in 12 digits, with a plus sign where files had changes; "unknown" outside a Git repository.
const char *uwb_commit(void);

#endif
