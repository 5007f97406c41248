package lint

import (
	"bytes"
	"compress/gzip"
	_ "embed"
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

// A vegaLiteSchema is the schema, and some of its definitions.
type vegaLiteSchema struct {
	text        any
	spec        *jsonschema.Schema
	definitions map[string]*jsonschema.Schema
}

// schema compiles the schema when the first spec needs it, because that takes
// half a second.
var schema = sync.OnceValues(func() (*vegaLiteSchema, error) {
	s, err := readSchema()
	if err != nil {
		return nil, fmt.Errorf("lint: the schema of Vega-Lite: %w", err)
	}
	return s, nil
})

func readSchema() (*vegaLiteSchema, error) {
	z, err := gzip.NewReader(bytes.NewReader(schemaText))
	if err != nil {
		return nil, err
	}
	s := &vegaLiteSchema{definitions: map[string]*jsonschema.Schema{}}
	if s.text, err = jsonschema.UnmarshalJSON(z); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(vegalite.Schema, s.text); err != nil {
		return nil, err
	}
	if s.spec, err = c.Compile(vegalite.Schema); err != nil {
		return nil, err
	}
	for _, name := range words(`AutoSizeParams Axis BinParams BoxPlotDef ErrorBandDef ErrorBarDef Header ImputeParams
		Legend MarkDef Projection Scale TimeUnitParams TitleParams ViewBackground`) {
		if s.definitions[name], err = c.Compile(vegalite.Schema + "#/definitions/" + name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// check returns the problems of v, which has to match a definition. Empty means
// the definition of a spec.
func (s *vegaLiteSchema) check(definition string, v object) []refusal.Problem {
	compiled := s.spec
	if definition != "" {
		compiled = s.definitions[definition]
	}
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](compiled.Validate(v)); ok {
		return s.problems(closest(invalid))
	}
	return nil
}

// valid checks a spec that the linter accepts against the JSON schema of
// Vega-Lite, as a second reading. It puts the house style into the spec.
func (l *linter) valid(root object) error {
	config, err := parse(vegalite.Style)
	if err != nil {
		return err
	}
	root["$schema"], root["config"] = vegalite.Schema, config
	read := maps.Clone(root)
	read["data"] = object{"values": []any{}} // instead of rows, which are checked, and data that only has a name
	for _, p := range l.schema.check("", read) {
		l.report(p)
	}
	return nil
}

// closest returns the errors of e without causes. Of alternatives it returns those that
// lie deepest in the value: they are of the alternative that was probably meant.
func closest(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	deepest := 0
	for _, cause := range e.Causes {
		for _, leaf := range closest(cause) {
			all, deepest = append(all, leaf), max(deepest, len(leaf.InstanceLocation))
		}
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		all = slices.DeleteFunc(all, func(leaf *jsonschema.ValidationError) bool { return len(leaf.InstanceLocation) < deepest })
	}
	return all
}

// problems returns the problems of errors without causes: one for each value, up
// to maxProblems.
func (s *vegaLiteSchema) problems(errs []*jsonschema.ValidationError) []refusal.Problem {
	var out []refusal.Problem
	types, words, missing := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, e := range errs {
		if len(out) >= maxProblems {
			break
		}
		path := ""
		for _, key := range e.InstanceLocation {
			path = pointer(path, key)
		}
		problem := func(path, message string) {
			if !slices.ContainsFunc(out, func(p refusal.Problem) bool { return p.Path == path }) {
				out = append(out, refusal.Problem{Code: ErrMalformed, Path: path, Message: message})
			}
		}
		switch k := e.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			for _, name := range k.Properties {
				if at := pointer(path, name); slices.ContainsFunc(out, func(p refusal.Problem) bool { return p.Path == at }) {
					continue
				}
				out = append(out, vegalite.UnknownWord(pointer(path, name), "property", name, s.properties(e.SchemaURL)))
			}
		case *kind.Required:
			missing[path] = append(missing[path], strings.Join(k.Missing, " and "))
			problem(path, "")
		case *kind.Type:
			types[path] = append(types[path], k.Want...)
			problem(path, "")
		case *kind.Enum:
			words[path] = append(words[path], texts(k.Want)...)
			problem(path, "")
		case *kind.Const:
			words[path] = append(words[path], texts([]any{k.Want})...)
			problem(path, "")
		default:
			problem(path, "Vega-Lite does not allow the value")
		}
	}
	for i, p := range out {
		if p.Message != "" {
			continue
		}
		out[i].Message = "Vega-Lite does not allow the value"
		if want := unique(types[p.Path]); want != nil {
			out[i].Message += ": it has to be of type " + strings.Join(want, " or ")
		}
		if want := unique(missing[p.Path]); want != nil {
			out[i].Message = "it needs " + strings.Join(want, " or ")
		}
		out[i].Candidates = unique(words[p.Path])
	}
	return out
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
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
func (s *vegaLiteSchema) properties(url string) []string {
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
