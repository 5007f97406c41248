package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/refusal"
)

const (
	maxDepth    = 40
	maxParts    = 10_000 // values of a spec, outside of data
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
	v, err := readValue(d, "", 0)
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

func readValue(d *json.Decoder, path string, depth int) (any, error) {
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
			Code: ErrTooLarge, Path: path, Message: fmt.Sprintf("it is nested more than %d levels deep", maxDepth),
		})
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := readValue(d, path+"/"+strconv.Itoa(len(list)), depth+1)
			if err != nil {
				return nil, err
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
		at := pointer(path, name)
		if _, twice := o[name]; twice {
			return nil, refuse(refusal.Problem{Code: ErrInvalidJSON, Path: at, Message: "the object has the key twice"})
		}
		if o[name], err = readValue(d, at, depth+1); err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return o, err
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// pointer returns the JSON Pointer of a key. A long key is shortened.
func pointer(path, key string) string {
	if len(key) > 60 {
		key = strings.ToValidUTF8(key[:60], "") + "..."
	}
	return path + "/" + pointerEscaper.Replace(key)
}

func item(path string, i int) string { return path + "/" + strconv.Itoa(i) }

// parts returns how many values v consists of, without those of data.
func parts(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += parts(e)
		}
	case object:
		for key, e := range v {
			if key != "data" {
				n += parts(e)
			}
		}
	}
	return n
}
