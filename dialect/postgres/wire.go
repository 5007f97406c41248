package postgres

import "encoding/binary"

// message is a message of the grammar's tree in protobuf's wire form, looked at
// where it lies: the tree is read once, so it is not decoded into another first.
// A field is asked for by its number; one that is absent has its zero value. The
// bytes come from the grammar. Where they are none of its messages, a method
// panics, and [Dialect.Read] answers for it.
type message []byte

// What the wire form holds.
const (
	wireVarint = 0
	wireBytes  = 2
)

// field is one field of a message.
type field struct {
	number int
	value  uint64  // of a varint
	data   message // of anything else
}

// next cuts the first field off.
func (m *message) next() field {
	key, n := binary.Uvarint(*m)
	if n <= 0 {
		panic("a field without a number")
	}
	value, k := binary.Uvarint((*m)[n:])
	if k <= 0 {
		panic("a field without a value")
	}
	f := field{number: int(key >> 3), value: value}
	rest := (*m)[n+k:]
	switch key & 7 {
	case wireVarint:
		*m = rest
	case wireBytes:
		f.data, *m = rest[:value:value], rest[value:]
	default:
		panic("a field of a kind that the grammar does not use")
	}
	return f
}

// child is the message in a field; nil: there is none. A message may be there and
// be empty.
func (m message) child(number int) message {
	for len(m) > 0 {
		if f := m.next(); f.number == number {
			return f.data
		}
	}
	return nil
}

// has reports whether a field is there.
func (m message) has(number int) bool {
	for len(m) > 0 {
		if m.next().number == number {
			return true
		}
	}
	return false
}

// list is the messages in a field that repeats.
func (m message) list(number int) []message {
	var out []message
	for len(m) > 0 {
		if f := m.next(); f.number == number {
			if out == nil {
				out = make([]message, 0, 4)
			}
			out = append(out, f.data)
		}
	}
	return out
}

// text is the string in a field.
func (m message) text(number int) string { return string(m.child(number)) }

// number is the integer in a field.
func (m message) number(number int) int {
	for len(m) > 0 {
		if f := m.next(); f.number == number {
			return int(int32(f.value))
		}
	}
	return 0
}

// flag is the truth value in a field.
func (m message) flag(number int) bool { return m.number(number) != 0 }

// node opens a Node, which holds one message of many kinds: the field's number
// tells which. Where there is no node the kind is 0.
func (m message) node() (kind int, inner message) {
	if len(m) == 0 {
		return 0, nil
	}
	f := m.next()
	return f.number, f.data
}

// fields is a set of numbers of fields.
type fields uint64

func set(numbers ...int) fields {
	var s fields
	for _, n := range numbers {
		s |= 1 << n
	}
	return s
}

// only reports whether a message has no other fields than those of the set: a
// field that a reader does not look at would be lost.
func (m message) only(s fields) bool {
	for len(m) > 0 {
		if n := m.next().number; n > 63 || s&(1<<n) == 0 {
			return false
		}
	}
	return true
}
