package lint

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
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

// A vegaLiteSchema is the schema, compiled and as it is written.
type vegaLiteSchema struct {
	text any
	spec *jsonschema.Schema
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
	s := &vegaLiteSchema{}
	if s.text, err = jsonschema.UnmarshalJSON(z); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(vegalite.Schema, s.text); err != nil {
		return nil, err
	}
	s.spec, err = c.Compile(vegalite.Schema)
	return s, err
}

// valid checks a spec against the JSON schema of Vega-Lite. It puts the house style into
// the spec.
func (l *linter) valid(root object) error {
	config, err := parse(vegalite.Style)
	if err != nil {
		return err
	}
	root["$schema"], root["config"] = vegalite.Schema, config
	read := maps.Clone(root)
	read["data"] = object{"values": []any{}} // instead of the rows, which are checked
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](l.schema.spec.Validate(read)); ok {
		leaves, _ := closest(invalid)
		for _, p := range l.schema.problems(leaves, read) {
			l.report(p)
		}
	}
	return nil
}

// closest returns the errors of e without causes. Of alternatives it returns those of the
// alternative that was probably meant: the one whose type fits, and of these the one with the
// fewest errors. misfit is how much the type of the value of e differs from the wanted one.
func closest(e *jsonschema.ValidationError) (leaves []*jsonschema.ValidationError, misfit int) {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}, misfitOf(e.ErrorKind)
	}
	alternatives := false
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		alternatives = true
	}
	least := math.MaxInt
	isOtherType := func(leaf *jsonschema.ValidationError) bool {
		_, isConst := leaf.ErrorKind.(*kind.Const)
		at := leaf.InstanceLocation
		return isConst && len(at) == len(e.InstanceLocation)+1 && at[len(at)-1] == "type"
	}
	for _, cause := range e.Causes {
		of, apart := closest(cause)
		if len(cause.InstanceLocation) > len(e.InstanceLocation) && !slices.ContainsFunc(of, isOtherType) {
			apart = 0 // something in the value
		}
		places := map[string]bool{} // alternatives for one value are one error
		for _, leaf := range of {
			places[strings.Join(leaf.InstanceLocation, "/")] = true
		}
		switch rank := 1000*apart + len(places); {
		case !alternatives:
			leaves, misfit = append(leaves, of...), misfit+apart
		case rank < least:
			leaves, misfit, least = of, apart, rank
		case rank == least:
			leaves = append(slices.Clone(leaves), of...)
		}
	}
	return leaves, misfit
}

// misfitOf returns how much a value differs by an error without causes.
func misfitOf(k jsonschema.ErrorKind) int {
	isNested := func(typ string) bool { return typ == "object" || typ == "array" }
	switch k := k.(type) {
	case *kind.AdditionalProperties:
		return len(k.Properties)
	case *kind.Type:
		switch {
		case slices.Equal(k.Want, []string{"null"}): // to leave it out was not meant
			return 200
		case isNested(k.Got) || slices.ContainsFunc(k.Want, isNested):
			return 100
		}
	}
	return 1
}

// problems returns the problems of errors without causes in a spec: one for each value.
func (s *vegaLiteSchema) problems(errs []*jsonschema.ValidationError, spec any) (out []refusal.Problem) {
	types, words, missing := map[string][]string{}, map[string][]string{}, map[string][]string{}
	values, seen := map[string]any{}, map[string]bool{}
	add := func(p refusal.Problem) {
		if !seen[p.Path] {
			seen[p.Path] = true
			out = append(out, p)
		}
	}
	for _, e := range errs {
		if len(out) >= maxProblems {
			break
		}
		where := ""
		for _, key := range e.InstanceLocation {
			where = pointer(where, key)
		}
		values[where] = at(spec, e.InstanceLocation)
		switch k := e.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			for _, name := range k.Properties {
				add(vegalite.UnknownWord(pointer(where, name), "property", name, s.properties(e.SchemaURL)))
			}
			continue
		case *kind.Required:
			missing[where] = append(missing[where], strings.Join(k.Missing, " and "))
		case *kind.Type:
			types[where] = append(types[where], k.Want...)
		case *kind.Enum:
			words[where] = append(words[where], textsOf(k.Want)...)
		case *kind.Const:
			words[where] = append(words[where], textsOf([]any{k.Want})...)
		}
		add(refusal.Problem{Code: ErrMalformed, Path: where, Message: "Vega-Lite does not allow the value"})
	}
	for i, p := range out {
		known := unique(words[p.Path])
		word, isWord := values[p.Path].(string)
		switch want := unique(types[p.Path]); {
		case p.Code != ErrMalformed:
		case missing[p.Path] != nil:
			out[i].Message = "it needs " + strings.Join(unique(missing[p.Path]), " or ")
		case isWord && known != nil && want == nil:
			out[i] = vegalite.UnknownWord(p.Path, "value", word, known)
		default:
			if want != nil {
				out[i].Message += ": it has to be of type " + strings.Join(want, " or ")
			}
			if isWord && slices.Contains(want, "object") && strings.HasSuffix(path.Dir(p.Path), "/encoding") {
				out[i].Message += `, such as {"field": "name"}`
			}
			if _, isNumber := number(values[p.Path]); isNumber && path.Base(p.Path) == "bin" {
				out[i].Message, known = `Vega-Lite does not allow the value: write true, or {"maxbins": 10}`, nil
			}
			if _, err := strconv.ParseFloat(word, 64); err == nil && slices.Contains(want, "number") {
				out[i].Message, known = out[i].Message+", without quotation marks", nil
			}
			out[i].Candidates = known
		}
	}
	return out
}

// at returns the value at a location in a JSON value.
func at(v any, location []string) any {
	for _, key := range location {
		switch in := v.(type) {
		case object:
			v = in[key]
		case []any:
			if i, err := strconv.Atoi(key); err == nil && i < len(in) {
				v = in[i]
			}
		}
	}
	return v
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// properties returns the names of the properties that a part of the schema has.
func (s *vegaLiteSchema) properties(url string) []string {
	_, path, _ := strings.Cut(url, "#/")
	o, _ := at(s.text, strings.Split(path, "/")).(object)
	known, _ := o["properties"].(object)
	return slices.Sorted(maps.Keys(known))
}
