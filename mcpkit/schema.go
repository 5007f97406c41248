package mcpkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

const maxSchemaDepth = 24 // of a schema with resolved references

// schema returns the JSON Schema of a tool's arguments without references, so that the
// time to check arguments is bounded by the sizes of the schema and the arguments.
func (c *Client) schema(given any) (json.RawMessage, error) {
	root, ok := given.(map[string]any)
	if !ok {
		return nil, errors.New("is not an object")
	}
	f := flattener{root: root, left: maxSchema, open: map[string]bool{"#": true}, trusted: c.opt.Trusted}
	flat, err := f.schema(root, 0)
	if err != nil {
		return nil, err
	}
	if flat.(map[string]any)["type"] != "object" {
		return nil, errors.New(`does not have the type "object"`)
	}
	text, err := json.Marshal(flat)
	switch {
	case err != nil:
		return nil, errors.New("cannot be written as JSON")
	case len(text) > maxSchema:
		return nil, f.tooLarge()
	}
	return text, nil
}

// A flattener copies a schema and replaces references by their targets.
type flattener struct {
	root    map[string]any
	left    int             // how much more may be copied, about in bytes
	open    map[string]bool // the references that are being replaced
	trusted bool
	exact   int // how many schemas around this one must not be loosened
}

func (f *flattener) tooLarge() error {
	return errors.New("is too large with resolved references")
}

// spend counts n bytes that are copied.
func (f *flattener) spend(n, depth int) error {
	if f.left -= n; f.left < 0 {
		return f.tooLarge()
	}
	if depth > maxSchemaDepth {
		return fmt.Errorf("is more than %d levels deep", maxSchemaDepth)
	}
	return nil
}

// The values of these keywords are a schema, a list of schemas, or an object of schemas.
var (
	schemaIn = map[string]bool{
		"additionalItems": true, "additionalProperties": true, "contains": true, "contentSchema": true,
		"else": true, "if": true, "items": true, "not": true, "propertyNames": true, "then": true,
		"unevaluatedItems": true, "unevaluatedProperties": true,
	}
	schemasIn = map[string]bool{"allOf": true, "anyOf": true, "items": true, "oneOf": true, "prefixItems": true}
	namedIn   = map[string]bool{"dependencies": true,
		"dependentSchemas": true, "patternProperties": true, "properties": true}

	// dropped are the keywords that a model does not need in a schema without references.
	dropped = map[string]bool{
		"$anchor": true, "$comment": true, "$defs": true, "$dynamicAnchor": true,
		"$recursiveAnchor": true, "definitions": true, "examples": true, "$ref": true,
	}

	// exactly are the keywords under which a looser schema would allow fewer values.
	exactly = map[string]bool{
		"not": true, "if": true, "oneOf": true, "contains": true,
		"unevaluatedItems": true, "unevaluatedProperties": true,
	}
)

func (f *flattener) schema(given any, depth int) (any, error) {
	s, ok := given.(map[string]any)
	if !ok {
		if _, ok := given.(bool); !ok {
			return nil, errors.New("holds something that is not a schema")
		}
		return given, f.spend(5, depth)
	}
	if err := f.spend(2, depth); err != nil {
		return nil, err
	}
	flat := map[string]any{}
	for name, value := range s {
		if dropped[name] {
			continue
		}
		if name == "$id" || name == "$dynamicRef" || name == "$recursiveRef" || name == "$vocabulary" {
			if name == "$id" && depth == 0 {
				continue
			}
			return nil, fmt.Errorf("uses %s, which is not supported", name)
		}
		if pattern, ok := value.(string); ok && name == "pattern" && f.exact == 0 {
			if _, err := regexp.Compile(pattern); err != nil {
				continue // another syntax of regular expressions: the server checks it
			}
		}
		if exactly[name] {
			f.exact++
		}
		copied, err := f.keyword(name, value, depth+1)
		if exactly[name] {
			f.exact--
		}
		if err != nil {
			return nil, err
		}
		flat[name] = copied
	}
	if s["$ref"] == nil {
		return flat, nil
	}
	return f.reference(s["$ref"], flat, depth)
}

func (f *flattener) keyword(name string, value any, depth int) (any, error) {
	if err := f.spend(len(name)+4, depth); err != nil {
		return nil, err
	}
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	switch {
	case isList && schemasIn[name]:
		copied := make([]any, len(list))
		for i, sub := range list {
			var err error
			if copied[i], err = f.schema(sub, depth); err != nil {
				return nil, err
			}
		}
		return copied, nil
	case isObject && namedIn[name]:
		copied := map[string]any{}
		for key, sub := range object {
			if err := f.spend(len(key)+4, depth); err != nil {
				return nil, err
			}
			var err error
			if _, names := sub.([]any); names && name == "dependencies" {
				copied[key] = sub // names of properties, as in draft 7
			} else if copied[key], err = f.schema(sub, depth); err != nil {
				return nil, err
			}
		}
		return copied, nil
	case schemaIn[name]:
		return f.schema(value, depth)
	case !f.trusted && (name == "description" || name == "title"):
		text, _ := value.(string)
		return quoted(text), f.plain(value, depth)
	}
	return value, f.plain(value, depth)
}

// plain counts a value that is not a schema.
func (f *flattener) plain(value any, depth int) error {
	n := 8
	switch v := value.(type) {
	case string:
		n = len(v) + 2
	case []any:
		for _, e := range v {
			if err := f.plain(e, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, e := range v {
			if err := f.plain(e, depth+1); err != nil {
				return err
			}
			n += len(name)
		}
	}
	return f.spend(n, depth)
}

// reference returns the target of a reference, combined with the keywords next to it.
func (f *flattener) reference(given any, siblings map[string]any, depth int) (any, error) {
	ref, ok := given.(string)
	if !ok {
		return nil, errors.New("has a reference that is not a string")
	}
	if f.open[ref] {
		if f.exact > 0 {
			return nil, errors.New("contains itself under a keyword such as not or oneOf")
		}
		return siblings, nil
	}
	target, err := f.find(ref)
	if err != nil {
		return nil, err
	}
	f.open[ref] = true
	defer delete(f.open, ref)
	found, err := f.schema(target, depth+1)
	if err != nil {
		return nil, err
	}
	for name := range siblings {
		if name != "description" && name != "title" && name != "default" {
			siblings["allOf"] = append(listOf(siblings["allOf"]), found)
			return siblings, nil
		}
	}
	if object, ok := found.(map[string]any); ok {
		for name, value := range siblings { // object is a copy
			object[name] = value
		}
	}
	return found, nil
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// find returns the target of a reference within the schema: "#", or "#/" and a JSON
// Pointer.
func (f *flattener) find(ref string) (any, error) {
	if ref == "#" {
		return f.root, nil
	}
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, errors.New("has a reference to another document, or by a name")
	}
	var at any = f.root
	for part := range strings.SplitSeq(pointer, "/") {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch v := at.(type) {
		case map[string]any:
			at, ok = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if ok = err == nil && i >= 0 && i < len(v); ok {
				at = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, errors.New("has a reference to something that it does not contain")
		}
	}
	return at, nil
}
