package strictjson_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/strictjson"
)

func TestKeys(t *testing.T) {
	type inner struct {
		Name string `json:"name,omitempty"`
	}
	type outer struct {
		One  *inner           `json:"one"`
		Many []inner          `json:"many"`
		By   map[string]inner `json:"by"`
	}
	typ := reflect.TypeFor[outer]()
	for _, tt := range []struct {
		raw  string
		of   reflect.Type
		want string // the path of the refused key; empty: none
	}{
		{`{"one":{"name":"x"},"many":[{"name":"x"},{}],"by":{"any":{"name":"x"}}}`, typ, ""},
		{`{"one":3,"many":{"of":{"name":1}}}`, typ, ""}, // the decoder reports the types
		{`{"One":{}}`, typ, "One"},
		{`{"one":{"age":1}}`, typ, "one.age"},
		{`{"many":[{},{"age":1}]}`, typ, "many.age"},
		{`{"by":{"a":{},"A":{}}}`, typ, "by.A"},
		{`{"by":{"a":{"name":"x","name":"y"}}}`, typ, "by.a.name"},
		{`{"a":{"b":1,"B":2},"A":[1,{"c":1}]}`, nil, ""},
		{`[{"a":{"b":1,"b":2}}]`, nil, "a.b"},
		{`"text"`, nil, ""},
	} {
		err := strictjson.Keys([]byte(tt.raw), tt.of)
		path := ""
		if key, ok := errors.AsType[*strictjson.KeyError](err); ok {
			path = strings.Join(key.Path, ".")
		}
		if path != tt.want || (err == nil) != (tt.want == "") {
			t.Errorf("%s: %v, the key %q; want %q", tt.raw, err, path, tt.want)
		}
	}
	if err := strictjson.Keys([]byte(`{"a":`), nil); err == nil {
		t.Error("half a text: no error")
	}
}
