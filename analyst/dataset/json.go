package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

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
	return &Error{Kind: ErrFormat, Line: in.lineAt(dec.InputOffset()), Err: err,
		Message: fmt.Sprintf("object %d is broken here or below; the input has to be an array of objects or one "+
			"object a line", objects.n)}
}

// An objectReader reads JSON.
type objectReader struct {
	*loader
	in  *records
	dec *json.Decoder
	n   int // the object, from 1
}

func (o *objectReader) each(row func(cells []cell, line int) error) error {
	o.n = 1
	first, err := o.dec.Token()
	array := first == json.Delim('[')
	if array {
		first, err = o.dec.Token()
	}
	for ; err == nil && first == json.Delim('{'); o.n++ {
		if err = o.next(row); err != nil {
			return err
		}
		if first, err = o.dec.Token(); err == io.EOF && !array {
			return nil
		}
	}
	if err == nil && array && first == json.Delim(']') {
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

// next passes on the object whose bracket was read.
func (o *objectReader) next(row func(cells []cell, line int) error) error {
	line := o.in.lineAt(o.dec.InputOffset())
	cells, err := o.object(line)
	if err != nil {
		return err
	}
	if err := row(cells, line); err != nil {
		return err
	}
	return o.in.next(o.dec.InputOffset())
}

// object reads the rest of an object after its bracket.
func (o *objectReader) object(line int) ([]cell, error) {
	cells := make([]cell, len(o.columns))
	for i := range cells {
		cells[i].null = true
	}
	for o.dec.More() {
		key, err := o.dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		at, ok := o.index[name]
		if !ok {
			if err := o.addColumns([]string{name}, line); err != nil {
				return nil, err
			}
			at = len(o.columns) - 1
			o.index[name] = at
			cells, o.lastIn = append(cells, cell{}), append(o.lastIn, 0)
		}
		if o.lastIn[at] == o.n {
			return nil, errorf(ErrFormat, line, "object %d has the key of column %s twice; remove one", o.n, o.columns[at].name)
		}
		o.lastIn[at] = o.n
		var raw json.RawMessage
		if err := o.dec.Decode(&raw); err != nil {
			return nil, err
		}
		if cells[at], err = jsonCell(raw); err != nil {
			return nil, err
		}
	}
	_, err := o.dec.Token()
	return cells, err
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
