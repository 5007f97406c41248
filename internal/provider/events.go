package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// events are the server-sent events of a streamed reply. Comments and events without
// data, which keep a connection alive, are left out.
type events struct {
	kind string // empty if the server names none
	data []byte // valid until the next call of next
	done bool   // the server sent [DONE]

	call  *Call
	lines *bufio.Scanner
	begun bool   // a line was read
	after []byte // the data of the event after this one, if no empty line is between
	err   error
}

// Stream passes the data of the events of a body to add, on the caller's goroutine, so
// that a callback that panics or is slow affects no other call. It ends when add
// reports that the reply has ended, and reports whether the server marked the end.
// An error is that of the call.
func (c *Call) Stream(body io.ReadCloser, d *Draft, add func(data []byte) (ended bool, err error)) (marked bool, err error) {
	defer body.Close()
	e := &events{call: c, lines: bufio.NewScanner(body)}
	e.lines.Buffer(nil, maxReply)
	for ended := false; !ended && e.next(); {
		if e.kind == "error" {
			err = c.ReportedError(e.data)
		} else {
			ended, err = add(e.data)
		}
		if err == nil {
			err = c.Ctx.Err() // what has arrived can still be read
		}
		if err != nil {
			return false, c.Error(err, d.Partial())
		}
	}
	if e.err != nil {
		return false, c.Error(e.err, d.Partial())
	}
	return e.done, nil
}

// next reads the next event. It reports false at [DONE], at the end of the stream
// and after a failure.
func (e *events) next() bool {
	e.kind, e.data, e.after = "", append(e.data[:0], e.after...), nil
	whole := true // the data is that of one line: each line is checked once
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if !e.begun {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
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
			if e.done {
				return false
			}
			e.kind = ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch name := string(name); name {
		case "event":
			e.kind = string(value)
		case "error": // llama.cpp
			e.kind, e.data = name, append(e.data[:0], value...)
		case "data":
			if len(e.data) > 0 {
				if whole = whole && json.Valid(e.data); whole { // some proxies remove the empty lines
					e.after = bytes.Clone(value)
					return true
				}
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
		}
	}
	if e.err = e.lines.Err(); e.err != nil {
		return false
	}
	return e.read() && json.Valid(e.data) // the last event may lack its empty line
}

// read reports whether the event has data. [DONE] is none.
func (e *events) read() bool {
	if bytes.HasPrefix(e.data, []byte("[DONE]")) {
		e.done = true
		return false
	}
	return len(bytes.TrimSpace(e.data)) > 0
}
