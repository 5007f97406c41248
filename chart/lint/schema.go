package lint

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/refusal"
)

// schemaText is the JSON schema in the npm package vega-lite 6.4.3.
//
//go:embed schema/vega-lite-6.4.3.json.gz
var schemaText []byte

// A vegaLiteSchema is the schema as text and compiled.
type vegaLiteSchema struct {
	text     any
	compiled *jsonschema.Schema
}

// schema compiles the schema when the first spec needs it, because that takes
// half a second.
var schema = sync.OnceValues(func() (vegaLiteSchema, error) {
	z, err := gzip.NewReader(bytes.NewReader(schemaText))
	if err != nil {
		return vegaLiteSchema{}, err
	}
	text, err := jsonschema.UnmarshalJSON(z)
	if err != nil {
		return vegaLiteSchema{}, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(vegalite.Schema, text); err != nil {
		return vegaLiteSchema{}, err
	}
	compiled, err := c.Compile(vegalite.Schema)
	return vegaLiteSchema{text, compiled}, err
})

// valid checks a spec that the linter accepts against the JSON schema of
// Vega-Lite, as a second reading. It puts the house style into the spec.
func (l *linter) valid(root object, style json.RawMessage) error {
	s, err := schema()
	if err != nil {
		return fmt.Errorf("lint: the schema of Vega-Lite: %w", err)
	}
	if style == nil {
		style = vegalite.Style
	}
	config, err := parse(style)
	if err != nil {
		return fmt.Errorf("lint: Options.Style: %w", err)
	}
	delete(root, "background")
	root["$schema"], root["config"] = vegalite.Schema, config
	read := maps.Clone(root)
	if !l.inline {
		read["data"] = object{"values": []any{}} // instead of data that only has a name
	}
	err = s.compiled.Validate(read)
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	for _, e := range closest(invalid) {
		for _, p := range s.problems(e) {
			if strings.HasPrefix(p.Path, "/config") {
				return fmt.Errorf("lint: Options.Style: %w", refuse(p))
			}
			l.report(p)
		}
	}
	return nil
}

// closest returns the errors of the alternatives that were probably meant: those
// that got farthest, and then those with the fewest errors.
func closest(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	alternatives := make([][]*jsonschema.ValidationError, len(e.Causes))
	for i, cause := range e.Causes {
		alternatives[i] = closest(cause)
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
	default: // all of them are wrong
		return slices.Concat(alternatives...)
	}
	// An alternative that another object or mark was meant for fails at the value
	// itself, or at the property that selects it.
	here := len(e.InstanceLocation)
	selects := func(e *jsonschema.ValidationError) bool {
		switch e.ErrorKind.(type) {
		case *kind.Type, *kind.Required:
			return len(e.InstanceLocation) == here
		case *kind.Const:
			return len(e.InstanceLocation) <= here+1
		}
		return false
	}
	best := slices.DeleteFunc(slices.Clone(alternatives), func(a []*jsonschema.ValidationError) bool {
		return slices.ContainsFunc(a, selects)
	})
	if len(best) == 0 { // every alternative is for another type of value
		return slices.Concat(alternatives...)
	}
	return slices.MinFunc(best, func(a, b []*jsonschema.ValidationError) int { return len(a) - len(b) })
}

// problems returns the problems of an error without causes.
func (s vegaLiteSchema) problems(e *jsonschema.ValidationError) []refusal.Problem {
	path := ""
	for _, key := range e.InstanceLocation {
		path = pointer(path, key)
	}
	p := refusal.Problem{Code: ErrMalformed, Path: path, Message: "Vega-Lite does not allow the value"}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		known := s.properties(e.SchemaURL)
		out := make([]refusal.Problem, len(k.Properties))
		for i, name := range k.Properties {
			out[i] = vegalite.UnknownWord(pointer(path, name), "property", name, known)
		}
		return out
	case *kind.Required:
		p.Message = "it needs " + strings.Join(k.Missing, ", ")
	case *kind.Type:
		p.Message = fmt.Sprintf("it is of type %s, and Vega-Lite allows %s", k.Got, strings.Join(k.Want, ", "))
	case *kind.Enum:
		p.Candidates = texts(k.Want)
	case *kind.Const:
		p.Candidates = texts([]any{k.Want})
	}
	return []refusal.Problem{p}
}

func texts(values []any) []string {
	var out []string
	for _, v := range values {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// properties returns the names of the properties that a part of the schema has.
func (s vegaLiteSchema) properties(url string) []string {
	_, path, _ := strings.Cut(url, "#")
	at := s.text
	for key := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		switch v := at.(type) {
		case object:
			at = v[key]
		case []any:
			if i, err := strconv.Atoi(key); err == nil && i < len(v) {
				at = v[i]
			}
		}
	}
	o, _ := at.(object)
	known, _ := o["properties"].(object)
	return slices.Sorted(maps.Keys(known))
}
