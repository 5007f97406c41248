package mcpkit

import (
	"io"
	"strings"
)

// digits copies JSON, also within a stream of events, and writes whole numbers beyond
// 2^53 as texts, because the SDK would round them. It keeps what it has of a number until
// it has all of it. The zero digits is at the beginning of a text.
type digits struct {
	depth   int  // of objects and lists; what is outside of them is not JSON
	quoted  bool // within a text
	escaped bool // after a backslash
	number  []byte
}

// add appends what is known of the copy of p to out.
func (d *digits) add(out, p []byte) []byte {
	for _, c := range p {
		if d.depth > 0 && !d.quoted && (c >= '0' && c <= '9' || len(d.number) > 0 && strings.IndexByte(".eE+-", c) >= 0 || c == '-') {
			d.number = append(d.number, c)
			continue
		}
		out = append(d.end(out), c)
		switch {
		case d.escaped:
			d.escaped = false
		case d.quoted && c == '\\':
			d.escaped = true
		case c == '"' && d.depth > 0:
			d.quoted = !d.quoted
		case d.quoted:
		case c == '{' || c == '[':
			d.depth++
		case (c == '}' || c == ']') && d.depth > 0:
			d.depth--
		}
	}
	return out
}

// end appends the number that ends.
func (d *digits) end(out []byte) []byte {
	number := d.number
	d.number = d.number[:0]
	if !rounded(string(number)) {
		return append(out, number...)
	}
	return append(append(append(out, '"'), number...), '"')
}

// rounded reports whether a float64 may not have all digits of a whole number.
func rounded(number string) bool {
	const exact = "9007199254740992" // 2^53
	number = strings.TrimPrefix(number, "-")
	return !strings.ContainsAny(number, ".eE+-") &&
		(len(number) > len(exact) || len(number) == len(exact) && number > exact)
}

// exactBody is the body of a response with numbers beyond 2^53 as texts.
type exactBody struct {
	io.ReadCloser
	digits digits
	ready  []byte // copied and not read yet
	err    error  // after that
}

func (b *exactBody) Read(p []byte) (int, error) {
	for len(b.ready) == 0 && b.err == nil {
		var raw [4096]byte
		n, err := b.ReadCloser.Read(raw[:])
		b.ready = b.digits.add(b.ready[:0], raw[:n])
		if b.err = err; err != nil {
			b.ready = b.digits.end(b.ready)
		}
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	if len(b.ready) == 0 && n == 0 {
		return 0, b.err
	}
	return n, nil
}
