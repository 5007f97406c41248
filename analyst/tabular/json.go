package tabular

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/wordset"
)

// jsonPath finds the rows of a file that is one object around them, such as {"data":[..]}:
// the keys that lead to the first list of objects. A list that describes columns is the last
// choice, and none next to rows that are lists. Lines of objects have no keys.
func jsonPath(head []byte) []string {
	if head[0] != '{' {
		return nil
	}
	if line, rest, _ := bytes.Cut(head, []byte("\n")); json.Valid(line) && len(bytes.TrimSpace(rest)) > 0 {
		return nil
	}
	for _, skip := range []map[string]bool{describing, nil} {
		dec := json.NewDecoder(bytes.NewReader(head))
		dec.Token()
		if found := findList(dec, nil, skip); found != nil || listOfLists.Match(head) {
			return found
		}
	}
	return nil
}

var (
	describing  = wordset.Of("fields columns cols headers")
	listOfLists = regexp.MustCompile(`\[\s*\[`)
)

const maxPath = 4 // keys around the rows

// findList looks for a list of objects in an object whose bracket was read.
func findList(dec *json.Decoder, path []string, skip map[string]bool) []string {
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		at := append(slices.Clone(path), key.(string))
		open, err := dec.Token()
		if err != nil {
			return nil
		}
		depth := 0
		switch open {
		case json.Delim('['):
			depth = 1
			if first, err := dec.Token(); err != nil {
				return nil
			} else if first == json.Delim('{') && !skip[key.(string)] {
				return at
			} else if first == json.Delim('[') || first == json.Delim('{') {
				depth = 2
			} else if first == json.Delim(']') {
				depth = 0
			}
		case json.Delim('{'):
			if len(at) < maxPath {
				if found := findList(dec, at, skip); found != nil {
					return found
				}
				if _, err := dec.Token(); err != nil { // its end
					return nil
				}
			} else {
				depth = 1
			}
		}
		for ; depth > 0; depth += nesting(open) {
			if open, err = dec.Token(); err != nil {
				return nil
			}
		}
	}
	return nil
}

func nesting(t json.Token) int {
	switch t {
	case json.Delim('['), json.Delim('{'):
		return 1
	case json.Delim(']'), json.Delim('}'):
		return -1
	}
	return 0
}

// eachObject reads an array of objects, or objects that follow each other.
func (l *loader) eachObject(in *records, row func(cells []cell, line int) error) error {
	dec := json.NewDecoder(in)
	dec.UseNumber()
	objects := &objectReader{loader: l, in: in, dec: dec}
	clear(l.lastIn)
	err := objects.each(row)
	var own *Error
	if err == nil || errors.As(err, &own) || l.ctx.Err() != nil {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && objects.n > 1 && !objects.list {
		l.cutOff = objects.n
		return nil
	}
	return errorf(ErrFormat, in.lineAt(dec.InputOffset()), func(t *texts) string { return t.BrokenObject }, "n", strconv.Itoa(objects.n)).because(err)
}

// An objectReader reads JSON.
type objectReader struct {
	*loader
	in  *records
	dec *json.Decoder
	n   int // the object, from 1

	list  bool // the objects are in brackets
	lists bool // the object has lists alone
}

func (o *objectReader) each(row func(cells []cell, line int) error) error {
	o.n = 1
	if err := o.enter(o.path); err != nil {
		return err
	}
	first, err := o.dec.Token()
	o.list = first == json.Delim('[')
	if o.list {
		first, err = o.dec.Token()
	}
	for ; err == nil && first == json.Delim('{'); o.n++ {
		if err = o.next(row); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if first, err = o.dec.Token(); err == io.EOF && !o.list {
			if o.n == 1 && o.lists {
				return errorf(ErrFormat, 1, func(t *texts) string { return t.ListsAlone })
			}
			return nil
		}
	}
	if err == nil && o.list && first == json.Delim(']') {
		if o.path != nil {
			return o.rest()
		}
		if _, err = o.dec.Token(); err == io.EOF {
			return nil
		}
	}
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	if err == nil {
		err = errors.New("it is not an object")
	}
	return err
}

// enter reads until the value to which keys lead.
func (o *objectReader) enter(path []string) error {
	for _, want := range path {
		if _, err := o.dec.Token(); err != nil {
			return err
		}
		for {
			key, err := o.dec.Token()
			if err != nil {
				return err
			}
			if key == want {
				break
			}
			var skipped json.RawMessage
			if err := o.dec.Decode(&skipped); err != nil {
				return err
			}
			if err := o.in.next(o.dec.InputOffset()); err != nil {
				return err
			}
		}
	}
	return nil
}

// rest reads what follows the rows.
func (o *objectReader) rest() error {
	for {
		if err := o.in.next(o.dec.InputOffset()); err != nil {
			return err
		}
		switch _, err := o.dec.Token(); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// next passes on the object whose bracket was read.
func (o *objectReader) next(row func(cells []cell, line int) error) error {
	line := o.in.lineAt(o.dec.InputOffset())
	cells := make([]cell, len(o.columns))
	for i := range cells {
		cells[i].null = true
	}
	if err := o.object(o.dec, "", &cells, line, 0); err != nil {
		return err
	}
	o.lists = !slices.ContainsFunc(cells, func(c cell) bool { return !strings.HasPrefix(c.text, "[") })
	if err := row(cells, line); err != nil {
		return err
	}
	return o.in.next(o.dec.InputOffset())
}

const maxNested = 8 // objects in objects that are columns; deeper ones are texts

// object reads the rest of an object after its bracket. Its keys follow a prefix.
func (o *objectReader) object(dec *json.Decoder, prefix string, cells *[]cell, line, depth int) error {
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name := prefix + key.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		if raw[0] == '{' {
			value, ok := extended(raw)
			if ok {
				raw = value
			} else if depth < maxNested && len(raw) > len("{}") {
				inner := json.NewDecoder(bytes.NewReader(raw))
				inner.UseNumber()
				if _, err := inner.Token(); err != nil {
					return err
				}
				if err := o.object(inner, name+".", cells, line, depth+1); err != nil {
					return err
				}
				continue
			}
		}
		at, err := o.columnOf(name, cells, line)
		if err != nil {
			return err
		}
		if (*cells)[at], err = jsonCell(raw); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// columnOf returns the column of a key, and adds it if it is new.
func (o *objectReader) columnOf(name string, cells *[]cell, line int) (int, error) {
	at, ok := o.index[name]
	if !ok {
		if err := o.addColumns([]string{name}, line); err != nil {
			return 0, err
		}
		at = len(o.columns) - 1
		o.index[name] = at
		*cells, o.lastIn = append(*cells, cell{}), append(o.lastIn, 0)
	}
	if o.lastIn[at] == o.n {
		return 0, errorf(ErrFormat, line, func(t *texts) string { return t.KeyTwice }, "n", strconv.Itoa(o.n), "column", o.columns[at].name)
	}
	o.lastIn[at] = o.n
	return at, nil
}

// extended returns the value of an object as MongoDB writes values that JSON lacks. Other
// objects are returned as they are.
func extended(raw json.RawMessage) (value json.RawMessage, ok bool) {
	if len(raw) > 256 || !bytes.Contains(raw[:min(len(raw), 20)], []byte(`"$`)) {
		return raw, false
	}
	var of map[string]json.RawMessage
	if json.Unmarshal(raw, &of) != nil || len(of) != 1 {
		return raw, false
	}
	for key, value := range of {
		text, isText := stringOf(value)
		switch key {
		case "$oid", "$symbol", "$uuid":
			return value, isText
		case "$date":
			var long struct {
				Text string `json:"$numberLong"`
			}
			if json.Unmarshal(value, &long) == nil && long.Text != "" {
				value = json.RawMessage(long.Text)
			}
			if ms, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				return json.RawMessage(time.UnixMilli(ms).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), true
			}
			return value, isText
		case "$numberLong", "$numberInt", "$numberDecimal", "$numberDouble":
			if isText && json.Valid([]byte(text)) {
				return json.RawMessage(text), true
			}
			return value, isText
		}
	}
	return raw, false
}

// stringOf returns the text of a string.
func stringOf(raw json.RawMessage) (text string, ok bool) {
	ok = raw[0] == '"' && json.Unmarshal(raw, &text) == nil
	return text, ok
}

func jsonCell(raw json.RawMessage) (c cell, err error) {
	switch {
	case raw[0] == 'n':
		c.null = true
	case raw[0] == '"':
		err = json.Unmarshal(raw, &c.text)
		c.text = strings.ReplaceAll(c.text, "\x00", "")
	default:
		c.text = string(raw)
		c.number = raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	}
	return c, err
}

// A nanReader writes null for NaN and Infinity, which JSON lacks and programs write.
type nanReader struct {
	r       *bufio.Reader
	quoted  bool
	escaped bool
	pending string
}

func (n *nanReader) Read(p []byte) (int, error) {
	for i := range p {
		if n.pending == "" {
			b, err := n.r.ReadByte()
			if err != nil {
				return i, err
			}
			n.pending = n.next(b)
		}
		p[i] = n.pending[0]
		n.pending = n.pending[1:]
	}
	return len(p), nil
}

// next returns what is written for a byte and those that belong to it.
func (n *nanReader) next(b byte) string {
	switch {
	case n.escaped:
		n.escaped = false
	case b == '"':
		n.quoted = !n.quoted
	case n.quoted:
		n.escaped = b == '\\'
	default:
		for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
			if b != word[0] {
				continue
			}
			if rest, _ := n.r.Peek(len(word) - 1); string(rest) == word[1:] {
				n.r.Discard(len(word) - 1)
				return "null"
			}
		}
	}
	return string([]byte{b})
}
