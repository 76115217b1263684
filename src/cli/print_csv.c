/* Command line: a call as a line of CSV. See print.h. On the hot path of `dump`: no stdio here. */
#include "cli/output.h"
#include "cli/print_values.h"

void print_csv_header(void)
{
	put_text("start_ns,duration_ns,process,thread,pid,tid,rank,ordinal,depth,layer,function,"
		 "args,result,error,"
		 "unfinished,vfork,path,absolute,kind,device,inode,identity\r\n");
}

void print_csv(const struct trace *trace, struct trace_call *call)
{
	const struct block_header *header = call->header;
	const struct record *record = &call->record;
	bool unfinished = record->marks & RECORD_UNFINISHED;
	put_signed(entry_ns(call));
	put_char(',');
	if (!unfinished)
		put_signed(duration_ns(call));
	const int64_t numbers[] = {header->process, header->thread, header->pid, header->tid};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		put_char(',');
		put_signed(numbers[i]);
	}
	put_char(',');
	if (header->rank >= 0)
		put_signed(header->rank);
	put_char(',');
	put_unsigned(record->ordinal);
	put_char(',');
	put_unsigned(record->depth);
	put_char(',');
	put_csv(layer_name(trace, call), strlen(layer_name(trace, call)));
	put_char(',');
	put_function(call);
	put_text(",\"");
	output.doubled_quotes = true;
	put_arguments(trace, call);
	output.doubled_quotes = false;
	put_text("\",");
	if (!unfinished && result_kind(trace, call)->style != VARVE_STYLE_NOTHING)
		put_signed(record->result);
	put_char(',');
	put_errno(record);
	put_text(unfinished ? ",1" : ",0");
	put_text(record->marks & RECORD_VFORK ? ",1," : ",0,");
	struct varve_file file = {0};
	bool known = names_file(call->names, &trace->tables, call->function, record, &file);
	put_csv(file.given.bytes ? file.given.bytes : "", file.given.length);
	put_char(',');
	put_csv(file.absolute.bytes ? file.absolute.bytes : "", file.absolute.length);
	put_char(',');
	if (known && file.handle)
		put_text(handle_kind_name(file.kind));
	put_char(',');
	if (file.how != IDENTITY_NONE) {
		put_unsigned(file.device);
		put_char(',');
		put_unsigned(file.inode);
		put_text(file.how == IDENTITY_SEEN ? ",seen" : ",assumed");
	} else {
		put_text(",,");
	}
	put_text("\r\n");
}
