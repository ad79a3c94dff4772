# What is missing is named by its Debian package.
AC_DEFUN([TM_NEED_PROGRAM], [
  AC_PATH_PROG([$1], [$2])
  AS_IF([test -z "$$1"], [AC_MSG_ERROR([$2 is needed (Debian package: $3)])])
])
AC_DEFUN([TM_NEED_MODULE], [
  PKG_CHECK_MODULES([$1], [$2], [], [AC_MSG_ERROR([$2 is needed (Debian package: $3)])])
  TM_MODULE_VERSION([$1], m4_bregexp([$2], [^\([^ ]+\).*], [\1]))
])

# The version of a module, for doc/tracemerge.spdx.
AC_DEFUN([TM_MODULE_VERSION], [AC_SUBST([$1_VERSION], [`$PKG_CONFIG --modversion "$2" 2>/dev/null || echo NOASSERTION`])])

# Adds flags to a variable of flags if a program is linked with both, which then runs.
AC_DEFUN([TM_TAKES], [
  AC_MSG_CHECKING([whether $CC takes $2])
  tm_save_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS $$1 $2 -Werror"
  AC_RUN_IFELSE([AC_LANG_PROGRAM()], [$1="$$1 $2"; tm_takes=yes], [tm_takes=no], [tm_takes=no])
  CFLAGS=$tm_save_CFLAGS
  AC_MSG_RESULT([$tm_takes])
])

# Where shells look for completions; "no" installs none.
AC_DEFUN([TM_COMPLETIONS], [
  AC_ARG_WITH([$1-completion-dir],
    [AS_HELP_STRING([--with-$1-completion-dir=DIR], [where to install completions for $1 @<:@DATADIR/$2@:>@; no for none])],
    [], [with_$1_completion_dir=yes])
  AS_IF([test "x$with_$1_completion_dir" = xyes], [with_$1_completion_dir='${datadir}/$2'])
  AS_IF([test "x$with_$1_completion_dir" = xno], [with_$1_completion_dir=])
  AC_SUBST([$1completiondir], [$with_$1_completion_dir])
])
