/* Command line: prints a call as a line of CSV. See print.h. On the hot path of `dump`: no stdio here. */
#include "cli/print/exec_images.h"
#include "cli/print/print_values.h"
#include "cli/print/print_words.h"
#include "cli/print/runtime_calls.h"
#include "cli/print/worlds.h"
#include "cli/terminal/output.h"

void print_csv_header(const struct varve_trace *trace)
{
	/* The name of the column shows that the times are means, not exact times. */
	put_text(varve_time_kind_of(trace) == VARVE_TIME_HISTOGRAM
			 ? "approximate_start_ns,approximate_duration_ns"
			 : "start_ns,duration_ns");
	put_text(",process,thread,pid,tid,rank,ordinal,depth,layer,function,"
		 "args,result,error,"
		 "unfinished,vfork,path,absolute,kind,device,inode,identity,"
		 "world,fd,offset,size,runtime,image\r\n");
}

/* The fields `world`, `fd`, `offset`, `size` and `runtime` of filters, and the process that an exec became. */
static void put_access(const struct varve_trace *trace, const struct varve_call *call)
{
	int32_t fd;
	int64_t offset;
	uint64_t size;
	uint32_t world = world_of(trace, call->stream), image = image_after(call);
	put_char(',');
	if (world)
		put_unsigned(world);
	put_char(',');
	if (varve_call_fd(call, &fd))
		put_signed(fd);
	put_char(',');
	if (varve_call_offset(call, &offset))
		put_signed(offset);
	put_char(',');
	if (varve_call_size(call, &size))
		put_unsigned(size);
	put_text(is_runtime(call) ? ",1," : ",0,");
	if (image)
		put_unsigned(image);
}

void print_csv(const struct varve_trace *trace, const struct varve_call *call)
{
	const struct varve_stream *stream = call->stream;
	bool unfinished = call->marks & VARVE_UNFINISHED;
	bool timed = varve_time_kind_of(trace) != VARVE_TIME_NONE;
	if (timed)
		put_signed(call->start);
	put_char(',');
	if (timed && duration_known(call))
		put_signed(call_duration(call));
	const int64_t numbers[] = {stream->process, stream->thread, stream->pid, stream->tid};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		put_char(',');
		put_signed(numbers[i]);
	}
	put_char(',');
	if (stream->rank >= 0)
		put_signed(stream->rank);
	put_char(',');
	put_unsigned(call->ordinal);
	put_char(',');
	put_unsigned(call->depth);
	put_char(',');
	put_csv(layer_name(trace, call), strlen(layer_name(trace, call)));
	put_char(',');
	put_function(call);
	put_text(",\"");
	output.doubled_quotes = true;
	put_arguments(trace, call);
	output.doubled_quotes = false;
	put_text("\",");
	const struct varve_kind *result = result_kind(trace, call);
	if (!unfinished && result->style != VARVE_STYLE_NOTHING &&
	    !pointer_absent(trace, result, (uint64_t)call->result))
		put_signed(call->result);
	put_char(',');
	put_error(trace, call);
	put_text(unfinished ? ",1" : ",0");
	put_text(call->marks & VARVE_VFORK ? ",1," : ",0,");
	struct varve_file file;
	bool known = varve_call_file(call, &file);
	put_csv(file.given.bytes ? file.given.bytes : "", file.given.length);
	put_char(',');
	put_csv(file.absolute.bytes ? file.absolute.bytes : "", file.absolute.length);
	put_char(',');
	if (known && file.handle)
		put_text(varve_handle_kind_name(file.kind));
	put_char(',');
	if (file.how != VARVE_IDENTITY_NONE) {
		put_unsigned(file.device);
		put_char(',');
		put_unsigned(file.inode);
		put_text(file.how == VARVE_IDENTITY_SEEN ? ",seen" : ",assumed");
	} else {
		put_text(",,");
	}
	put_access(trace, call);
	put_text("\r\n");
}
