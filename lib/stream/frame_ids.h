/* Where the messages of frames hold the number of their file and of their machine. For code that renumbers files or
 * machines. Frames that define files or machines are not among them: File, FileBegin, Machine and Config have rules of
 * their own. */
#ifndef TM_STREAM_FRAME_IDS_H
#define TM_STREAM_FRAME_IDS_H

#include "stream/frame.h"
#include "tm_stream.pb-c.h"

/* Returns the descriptor of the message of frames of TYPE if it holds such numbers, else NULL. */
const ProtobufCMessageDescriptor *tm_frame_ids_descriptor(uint32_t type);

/* Return the number in MESSAGE of a frame of TYPE, to be read or changed. NULL: it holds none. */
uint32_t *tm_frame_ids_file(uint32_t type, ProtobufCMessage *message);
uint32_t *tm_frame_ids_machine(uint32_t type, ProtobufCMessage *message);

#endif
