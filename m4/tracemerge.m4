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

# The run-time name (soname) of the library $2 of module $1, which programs load themselves, for config.h.
AC_DEFUN([TM_SONAME], [
  AC_CACHE_CHECK([for the run-time name of lib$2], [tm_cv_soname_$1], [
    tm_save_LIBS=$LIBS
    LIBS="-Wl,--no-as-needed $$1_LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()],
      [tm_cv_soname_$1=`$OBJDUMP -p conftest$EXEEXT | $SED -n 's/^ *NEEDED *\(lib$2\.so.*\)$/\1/p'`])
    LIBS=$tm_save_LIBS
  ])
  AS_IF([test -z "$tm_cv_soname_$1"], [AC_MSG_ERROR([a shared library lib$2 is needed])])
  AC_DEFINE_UNQUOTED([$1_SONAME], ["$tm_cv_soname_$1"], [The file of lib$2 that programs load.])
])

# Links the archive of the library $2 of module $1 if archives are wanted and a program that calls its function $3 links
# with it and the libraries $4. Each shared library lengthens the start of a program. $1_LINK says which it is, for
# doc/tracemerge.spdx. $1_SHARED is the shared library.
AC_DEFUN([TM_ARCHIVE], [
  $1_LINK=DYNAMIC_LINK
  $1_SHARED=$$1_LIBS
  AS_IF([test "x$enable_archives" != xno], [
    AC_MSG_CHECKING([for an archive of lib$2])
    tm_save_LIBS=$LIBS
    tm_archive_LIBS=`printf '%s\n' "$$1_LIBS" | $SED 's/-l$2/-Wl,-Bstatic -l$2 -Wl,-Bdynamic/'`
    LIBS="$tm_archive_LIBS $4"
    AC_LINK_IFELSE([AC_LANG_CALL([], [$3])], [$1_LIBS=$tm_archive_LIBS; $1_LINK=STATIC_LINK; tm_archive=yes],
      [tm_archive=no])
    LIBS=$tm_save_LIBS
    AC_MSG_RESULT([$tm_archive])
  ])
  AC_SUBST([$1_LINK])
  AC_SUBST([$1_SHARED])
])

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
