package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

const (
	maxDepth    = 40
	maxParts    = 10_000 // values of a spec, outside of data
	maxNested   = 2000   // objects and lists of a spec, outside of data
	maxSpecText = 4000   // bytes of one text, outside of data
)

// parse reads a spec as one JSON object whose objects have each key once. Numbers
// keep their digits.
func parse(raw []byte) (object, error) {
	bad := func(message string) error {
		return refuse(refusal.Problem{Code: ErrInvalidJSON, Message: message})
	}
	if !utf8.Valid(raw) {
		return nil, bad("the spec is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := readValue(d, 0)
	if _, refused := errors.AsType[*refusal.Error](err); refused {
		return nil, err
	}
	if err != nil {
		return nil, bad("the spec is not JSON: " + vegalite.Quoted(err.Error()))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, bad("there is text after the JSON object")
	}
	o, ok := v.(object)
	if !ok {
		return nil, bad("the spec is not a JSON object")
	}
	return o, nil
}

func readValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth == maxDepth {
		return nil, refuse(refusal.Problem{
			Code: ErrTooLarge, Message: fmt.Sprintf("it is nested more than %d levels deep", maxDepth),
		})
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := readValue(d, depth+1)
			if err != nil {
				return nil, within(strconv.Itoa(len(list)), err)
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	o := object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string) // the decoder allows nothing else
		if _, twice := o[name]; twice {
			return nil, within(name, refuse(refusal.Problem{Code: ErrInvalidJSON, Message: "the object has the key twice"}))
		}
		if o[name], err = readValue(d, depth+1); err != nil {
			return nil, within(name, err)
		}
	}
	_, err = d.Token()
	return o, err
}

// within adds a key to the beginning of the path of a refusal. Paths are made for
// errors only: those of all values would take far more memory than the values.
func within(key string, err error) error {
	if e, refused := errors.AsType[*refusal.Error](err); refused {
		e.Problems[0].Path = pointer("", key) + e.Problems[0].Path
	}
	return err
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// pointer returns the JSON Pointer of a key. A long key is shortened.
func pointer(path, key string) string {
	return path + "/" + pointerEscaper.Replace(prompt.Clip(key, 60))
}

func item(path string, i int) string { return path + "/" + strconv.Itoa(i) }

// parts returns how many values v consists of, without the data of views, and how
// many of these are objects and lists.
func parts(v any) (all, nested int) {
	add := func(e any) {
		a, n := parts(e)
		all, nested = all+a, nested+n
	}
	switch v := v.(type) {
	case []any:
		nested++
		for _, e := range v {
			add(e)
		}
	case object:
		nested++
		view := slices.ContainsFunc(makers, func(key string) bool { return v[key] != nil })
		for key, e := range v {
			if key != "data" || !view {
				add(e)
			}
		}
	}
	return all + 1, nested
}
