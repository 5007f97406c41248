package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
)

// generate returns the JSON Schema of t. A definition that is used once and does
// not contain itself is inlined, because small models follow that better than
// references.
func generate(t reflect.Type) (text json.RawMessage, err error) {
	if err := describable(t, t.String(), nil); err != nil {
		return nil, err
	}
	// The JSONSchema method of a type is code of the host.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	r := jsonschema.Reflector{Anonymous: true, Namer: namer(), Mapper: ownJSON}
	root := r.ReflectFromType(t)
	root.Version = ""
	inline(root)
	walk(root, nameAny)
	return json.Marshal(root)
}

// nameAny describes the properties and elements that may be anything. Without a keyword
// their schema is the literal true, which some servers (llama.cpp) refuse.
func nameAny(s *jsonschema.Schema) {
	named := func(sub *jsonschema.Schema) *jsonschema.Schema {
		if text, err := json.Marshal(sub); err != nil || string(text) != "true" {
			return sub
		}
		return &jsonschema.Schema{Description: "any JSON value"}
	}
	if s.Items != nil {
		s.Items = named(s.Items)
	}
	if s.Properties == nil {
		return
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		p.Value = named(p.Value)
	}
}

var (
	describesItself = reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]()
	readsText       = reflect.TypeFor[encoding.TextUnmarshaler]()
	readsJSON       = reflect.TypeFor[json.Unmarshaler]()
	timeType        = reflect.TypeFor[time.Time]()
	rawType         = reflect.TypeFor[json.RawMessage]()
)

// ownJSON returns the schema of a type that reads its own JSON, and nil for any
// other type.
func ownJSON(t reflect.Type) *jsonschema.Schema {
	if t.Implements(describesItself) || t == timeType || t == rawType {
		return nil
	}
	switch p := reflect.PointerTo(t); {
	case p.Implements(readsJSON):
		return &jsonschema.Schema{}
	case p.Implements(readsText):
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// describable returns an error for a type that would make the reflector panic or
// recurse forever.
func describable(t reflect.Type, path string, within []reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Implements(describesItself) || t == timeType || t == rawType || ownJSON(t) != nil {
		return nil
	}
	for _, w := range within {
		if w == t {
			return nil // checked further up
		}
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("%s is a %s, which JSON cannot represent", path, t.Kind())
	case reflect.Slice, reflect.Array:
		return describable(t.Elem(), path+"[]", within)
	case reflect.Map:
		if k := t.Key(); !isMapKey(k) {
			return fmt.Errorf("%s is a map with keys of type %s, which JSON cannot represent", path, k)
		}
		return describable(t.Elem(), path+"[]", within)
	case reflect.Struct:
		if embeds(t, t, nil) {
			return fmt.Errorf("%s embeds itself", path)
		}
		for f := range t.Fields() {
			if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
				continue
			}
			if err := describable(f.Type, path+"."+f.Name, within); err != nil {
				return err
			}
		}
	}
	return nil
}

func isMapKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return reflect.PointerTo(t).Implements(readsText)
}

// embeds reports whether target is embedded in t, at any depth.
func embeds(t, target reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	if seen == nil {
		seen = map[reflect.Type]bool{}
	}
	seen[t] = true
	for f := range t.Fields() {
		e := f.Type
		if e.Kind() == reflect.Pointer {
			e = e.Elem()
		}
		if !f.Anonymous || e.Kind() != reflect.Struct || f.Tag.Get("json") != "" {
			continue
		}
		if e == target || embeds(e, target, seen) {
			return true
		}
	}
	return false
}

var (
	packagePath = regexp.MustCompile(`[\w./~-]*[./]`)
	notInName   = regexp.MustCompile(`\W+`)
)

// namer returns a function that names definitions by their types. Types with the
// same name in different packages get different names. The name of a generic
// type has only characters that a reference can hold: Page[example.com/shop.Item]
// becomes Page_Item.
func namer() func(reflect.Type) string {
	names, taken := map[reflect.Type]string{}, map[string]bool{}
	return func(t reflect.Type) string {
		if t.PkgPath() == "" {
			return ""
		}
		if name, ok := names[t]; ok {
			return name
		}
		base := strings.Trim(notInName.ReplaceAllString(packagePath.ReplaceAllString(t.Name(), ""), "_"), "_")
		name := base
		for n := 2; taken[name]; n++ {
			name = base + strconv.Itoa(n)
		}
		names[t], taken[name] = name, true
		return name
	}
}

// inline replaces the reference in root, and references to definitions that are
// used once, by the definitions. It removes definitions that are not used.
func inline(root *jsonschema.Schema) {
	defs := root.Definitions
	root.Definitions = nil
	rootName := strings.TrimPrefix(root.Ref, definitions)
	if def := defs[rootName]; root.Ref != "" && def != nil {
		*root = *def
	}

	uses := map[string]int{}
	count := func(s *jsonschema.Schema) {
		if s.Ref != "" {
			uses[strings.TrimPrefix(s.Ref, definitions)]++
		}
	}
	walk(root, count)
	for name, def := range defs {
		if name != rootName {
			walk(def, count)
		}
	}

	kept := jsonschema.Definitions{}
	var place func(s *jsonschema.Schema)
	place = func(s *jsonschema.Schema) {
		name := strings.TrimPrefix(s.Ref, definitions)
		def := defs[name]
		switch {
		case s.Ref == "" || def == nil || kept[name] != nil:
		case uses[name] > 1 || name == rootName || contains(def, name, defs, nil):
			kept[name] = def
			walk(def, place)
		default:
			title, description := s.Title, s.Description
			*s = *def
			if title != "" {
				s.Title = title
			}
			if description != "" {
				s.Description = description
			}
		}
	}
	walk(root, place)
	if len(kept) > 0 {
		root.Definitions = kept
	}
}

// contains reports whether s refers to the definition called name, directly or through others.
func contains(s *jsonschema.Schema, name string, defs jsonschema.Definitions, seen map[string]bool) bool {
	if seen == nil {
		seen = map[string]bool{}
	}
	found := false
	walk(s, func(s *jsonschema.Schema) {
		ref := strings.TrimPrefix(s.Ref, definitions)
		if found || s.Ref == "" || seen[ref] {
			return
		}
		seen[ref] = true
		found = ref == name || defs[ref] != nil && contains(defs[ref], name, defs, seen)
	})
	return found
}

// walk calls visit on s and then on every schema inside it, including those that
// visit adds to s.
func walk(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	visit(s)
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		for _, sub := range list {
			walk(sub, visit)
		}
	}
	for _, sub := range []*jsonschema.Schema{
		s.Not, s.If, s.Then, s.Else, s.Items, s.Contains, s.AdditionalProperties, s.PropertyNames,
	} {
		walk(sub, visit)
	}
	for _, group := range []map[string]*jsonschema.Schema{s.DependentSchemas, s.PatternProperties} {
		for _, sub := range group {
			walk(sub, visit)
		}
	}
	if s.Properties != nil {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			walk(p.Value, visit)
		}
	}
}
