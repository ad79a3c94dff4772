/* Numbers of the ZIP format that several files use (APPNOTE 4.3.12, 4.4.4, 4.4.5, 4.5.3). */
#ifndef TM_CONTAINER_ZIP_FORMAT_H
#define TM_CONTAINER_ZIP_FORMAT_H

enum {
    TM_ZIP_CENTRAL_MAGIC = 0x02014b50, /* of a header of the directory */
    TM_ZIP_EXTRA_ZIP64 = 1,            /* a record of an extra field */
    TM_ZIP_ENCRYPTED = 1 << 0,         /* a flag */
    TM_ZIP_STORED = 0,                 /* methods */
    TM_ZIP_DEFLATED = 8
};

#endif
