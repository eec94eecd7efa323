/* tree: what lies in a folder, removed. Nothing but system calls, so that a handler of signals may call it. */
#ifndef GEMP_CORE_TREE_H
#define GEMP_CORE_TREE_H

/* Removes all that the open folder has but the file `kept`; symlinks and not what they lead to, and nothing of another
 * file system. What cannot be removed stays. */
void gemp_tree_clear(int folder, const char *kept);

#endif
