package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// Events are the server-sent events of a streamed reply.
type Events struct {
	Type string // empty if the server names none
	Data []byte // valid until the next call of Next
	Done bool   // the server sent [DONE]

	call  *Call
	lines *bufio.Scanner
	begun bool // a line was read
	err   error
}

// Events returns the events of a body. Comments and events without data, which keep
// a connection alive, are left out.
func (c *Call) Events(body io.Reader) *Events {
	e := &Events{call: c, lines: bufio.NewScanner(body)}
	e.lines.Buffer(nil, maxReply)
	return e
}

// Stream passes the data of the events of a body to add, on the caller's goroutine, so
// that a callback that panics or is slow affects no other call. It ends when add
// reports that the reply has ended, and reports whether the server marked the end.
// An error is that of the call.
func (c *Call) Stream(body io.ReadCloser, d *Draft, add func(data []byte) (ended bool, err error)) (marked bool, err error) {
	defer body.Close()
	e := c.Events(body)
	for ended := false; !ended && e.Next(); {
		if e.Type == "error" {
			err = c.ReportedError(e.Data)
		} else {
			ended, err = add(e.Data)
		}
		if err == nil {
			err = c.Ctx.Err() // what has arrived can still be read
		}
		if err != nil {
			return false, c.Error(err, d.Partial())
		}
	}
	if e.Err() != nil {
		return false, c.Error(e.Err(), d.Partial())
	}
	return e.Done, nil
}

// Next reads the next event. It reports false at [DONE], at the end of the stream
// and after a failure.
func (e *Events) Next() bool {
	e.Type, e.Data = "", e.Data[:0]
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if first := bytes.TrimSpace(line); !e.begun && len(first) > 0 {
			e.begun = true
			if first[0] == '<' || first[0] == '{' {
				e.err = e.call.ProtocolError("the server sent a page or an object instead of events")
				return false
			}
		}
		if len(line) == 0 {
			if e.read() {
				return true
			}
			if e.Done {
				return false
			}
			e.Type = ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			e.Type = string(value)
		case "data":
			if len(e.Data) > 0 {
				e.Data = append(e.Data, '\n')
			}
			e.Data = append(e.Data, value...)
		}
	}
	if e.err = e.lines.Err(); e.err != nil {
		return false
	}
	return e.read() && json.Valid(e.Data) // the last event may lack its empty line
}

// read reports whether the event has data. [DONE] is none.
func (e *Events) read() bool {
	if bytes.HasPrefix(e.Data, []byte("[DONE]")) {
		e.Done = true
		return false
	}
	return len(bytes.TrimSpace(e.Data)) > 0
}

// Err returns why the stream failed, or nil.
func (e *Events) Err() error { return e.err }
