package postgres

import "slices"

// message is a message of the grammar's tree in protobuf's wire format. The tree is
// read once, so it is not decoded into Go structs first. Fields are read by their
// numbers; an absent field has its zero value. A method panics if the bytes are
// not a message of the grammar; [Dialect.Read] recovers.
type message []byte

// The wire types that the grammar uses.
const (
	wireVarint = 0
	wireBytes  = 2
)

type field struct {
	number int
	value  uint64  // of a varint
	data   message // of anything else
}

func (m *message) next() field {
	f, end := m.at(0)
	*m = (*m)[end:]
	return f
}

// at returns the field that begins at i, and its end.
func (m message) at(i int) (f field, end int) {
	key, i := m.varint(i)
	value, i := m.varint(i)
	f = field{number: int(key >> 3), value: value}
	switch key & 7 {
	case wireVarint:
	case wireBytes:
		end := i + int(value)
		f.data, i = m[i:end:end], end
	default:
		panic("a field of an unknown wire type")
	}
	return f, i
}

// varint returns the number that begins at i, and its end.
func (m message) varint(i int) (value uint64, end int) {
	for shift := 0; ; shift += 7 {
		b := m[i]
		i++
		value |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return value, i
		}
	}
}

// find returns the first field with a number, or the zero value.
func (m message) find(number int) (f field) {
	i := 0
	for i < len(m) {
		if i+1 < len(m) && m[i]|m[i+1] < 0x80 && int(m[i]>>3) != number { // skip the field
			switch m[i] & 7 {
			case wireVarint:
				i += 2
				continue
			case wireBytes:
				i += 2 + int(m[i+1])
				continue
			}
		}
		if f, i = m.at(i); f.number == number {
			return f
		}
	}
	if i > len(m) {
		panic("a field without its end")
	}
	return field{}
}

// child returns the message in a field, nil if there is none. A message may be
// empty.
func (m message) child(number int) message { return m.find(number).data }

// has reports whether a field is present.
func (m message) has(number int) bool { return m.find(number).number == number }

func (m message) list(number int) []message {
	var out []message
	for len(m) > 0 {
		f := m.next()
		if f.number != number {
			continue
		}
		switch len(out) {
		case 0:
			out = make([]message, 0, 4)
		case 4: // the rest of m is mostly more of them, of the same size
			out = slices.Grow(out, 1+len(m)/(len(f.data)+2))
		}
		out = append(out, f.data)
	}
	return out
}

// last returns the last message in a repeated field, nil if there is none.
func (m message) last(number int) (last message) {
	for len(m) > 0 {
		if f := m.next(); f.number == number {
			last = f.data
		}
	}
	return last
}

func (m message) text(number int) string { return string(m.child(number)) }

func (m message) number(number int) int { return int(int32(m.find(number).value)) }

func (m message) flag(number int) bool { return m.number(number) != 0 }

// node returns the message in a Node, and its field number, which is its kind. The
// kind is 0 if there is no node.
func (m message) node() (kind int, inner message) {
	if len(m) == 0 {
		return 0, nil
	}
	f := m.next()
	return f.number, f.data
}

// fields is a set of field numbers.
type fields uint64

func set(numbers ...int) fields {
	var s fields
	for _, n := range numbers {
		s |= 1 << n
	}
	return s
}

// only reports whether all fields of a message are in the set. A field that the
// reader does not read would be lost.
func (m message) only(s fields) bool {
	for len(m) > 0 {
		if n := m.next().number; n > 63 || s&(1<<n) == 0 {
			return false
		}
	}
	return true
}
