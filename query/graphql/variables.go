package graphql

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/refusal"
)

// A coercer checks the values of variables by the input coercion of the
// specification: an Int has 32 bits, the letter case of an enum's value counts,
// and a single value stands for a list of one. Its messages do not repeat values,
// which may be a user's private data.
type coercer struct {
	schema   *ast.Schema
	problems []pending
}

func (c *coercer) full() bool { return len(c.problems) >= maxProblems }

func (c *coercer) fail(path string, m meant, format string, args ...any) {
	if !c.full() {
		c.problems = append(c.problems, pending{refusal.Problem{
			Code: ErrInvalid, Path: clip(path, maxMessage), Message: clip(fmt.Sprintf(format, args...), maxMessage),
		}, m})
	}
}

// value checks a value against its type.
func (c *coercer) value(path string, t *ast.Type, v any) {
	if c.full() {
		return
	}
	if v == nil {
		if t.NonNull {
			c.fail(path, meant{}, "the value cannot be null: its type is %s", t)
		}
		return
	}
	if t.Elem != nil {
		list, ok := v.([]any)
		if !ok {
			c.value(path, t.Elem, v)
			return
		}
		for i, item := range list {
			c.value(path+"."+strconv.Itoa(i), t.Elem, item)
		}
		return
	}
	def := c.schema.Types[t.NamedType]
	if def == nil {
		return // the rules report it
	}
	switch def.Kind {
	case ast.Scalar:
		if !fitsScalar(def.Name, v) {
			c.fail(path, meant{}, "the value must be of type %s, but it is %s", t, kindOf(v))
		}
	case ast.Enum:
		name, ok := v.(string)
		if !ok {
			c.fail(path, meant{},
				"the value must be one of the enum %s, written as a string, but it is %s", def.Name, kindOf(v))
		} else if def.EnumValues.ForName(name) == nil {
			c.fail(path, meant{name: name, names: func() []string { return memberNames(def) }},
				"the value is not one of the enum %s", def.Name)
		}
	case ast.InputObject:
		object, ok := v.(map[string]any)
		if !ok {
			c.fail(path, meant{}, "the value must be an object of type %s, but it is %s", def.Name, kindOf(v))
			return
		}
		c.object(path, def, object)
	}
}

func (c *coercer) object(path string, def *ast.Definition, object map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		f := def.Fields.ForName(name)
		if f == nil {
			c.fail(path+"."+clip(name, 80), meant{name: name, names: func() []string { return memberNames(def) }},
				"the input type %s has no field %q", def.Name, clip(name, 80))
			continue
		}
		c.value(path+"."+name, f.Type, object[name])
	}
	for _, f := range def.Fields {
		if _, given := object[f.Name]; !given && f.Type.NonNull && f.DefaultValue == nil {
			c.fail(path+"."+f.Name, meant{}, "the field of type %s is missing", f.Type)
		}
	}
	if def.Directives.ForName("oneOf") != nil {
		set := slices.DeleteFunc(slices.Collect(maps.Values(object)), func(v any) bool { return v == nil })
		if len(object) != 1 || len(set) != 1 {
			c.fail(path, meant{}, "the object of type %s must have exactly one field, which is not null", def.Name)
		}
	}
}

// fitsScalar reports whether v fits one of the five scalars of the specification.
// Every value fits a custom scalar: only the server knows what it accepts.
func fitsScalar(scalar string, v any) bool {
	number, isNumber := v.(json.Number)
	_, isString := v.(string)
	switch scalar {
	case "Int":
		return isNumber && isInt32(number.String())
	case "Float":
		if !isNumber {
			return false
		}
		_, err := number.Float64()
		return err == nil
	case "ID":
		return isString || isNumber && !strings.ContainsAny(number.String(), ".eE")
	case "String":
		return isString
	case "Boolean":
		_, ok := v.(bool)
		return ok
	}
	return true
}

func isInt32(literal string) bool {
	_, err := strconv.ParseInt(literal, 10, 32)
	return err == nil
}

func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "a number with a fraction"
		}
		return "a whole number"
	case []any:
		return "a list"
	}
	return "an object"
}

// readVariables parses the variables of a query.
func readVariables(raw json.RawMessage, limit int) (map[string]any, *refusal.Error) {
	if strictjson.Absent(raw) {
		return map[string]any{}, nil
	}
	if len(raw) > limit {
		return nil, refused(ErrTooLarge, "variables", "the variables are longer than %d bytes", limit)
	}
	v, err := strictjson.Any(raw)
	if err != nil {
		return nil, refused(ErrInvalid, "variables", "the variables are not valid JSON")
	}
	if !nestedWithin(v, maxNesting+1) {
		return nil, refused(ErrTooLarge, "variables", "a variable has more than %d nested lists and objects", maxNesting)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, refused(ErrInvalid,
			"variables", "the variables must be one JSON object, whose keys are their names without $")
	}
	return object, nil
}

func nestedWithin(v any, depth int) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if depth == 0 || !nestedWithin(item, depth-1) {
				return false
			}
		}
	case map[string]any:
		for _, item := range v {
			if depth == 0 || !nestedWithin(item, depth-1) {
				return false
			}
		}
	}
	return true
}
