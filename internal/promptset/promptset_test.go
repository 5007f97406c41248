package promptset_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qedkit/qed/internal/promptset"
)

func TestLoad(t *testing.T) {
	type data struct{ Name string }
	own := fstest.MapFS{
		"prompts/ask.tmpl":  {Data: []byte("{{template \"who.tmpl\" .}}, what?")},
		"prompts/tell.tmpl": {Data: []byte("tell")},
		"prompts/who.tmpl":  {Data: []byte("{{.Name}}")},
	}
	for _, test := range []struct {
		name string
		host fs.FS
		want string // ask, then tell
		err  string
	}{
		{"none", nil, "Ann, what?tell", ""},
		{"one prompt", fstest.MapFS{"tell.tmpl": {Data: []byte("{{quote .Name}}")}}, `Ann, what?"Ann"`, ""},
		{"a part of a prompt", fstest.MapFS{"who.tmpl": {Data: []byte("Dr. {{.Name}}")}}, "Dr. Ann, what?tell", ""},
		{"another name", fstest.MapFS{"tel.tmpl": {}}, "", "there is no prompt tel.tmpl"},
		{"another folder", own, "", "there is no file *.tmpl"},
		{"no template", fstest.MapFS{"tell.tmpl": {Data: []byte("{{")}}, "", "tell.tmpl"},
		{"an unknown field", fstest.MapFS{"tell.tmpl": {Data: []byte("{{.Nobody}}")}}, "", "Nobody"},
	} {
		t.Run(test.name, func(t *testing.T) {
			set, err := promptset.Load("Options.Prompts", own, test.host, map[string]any{"ask": data{}, "tell": data{}})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || !strings.HasPrefix(err.Error(), "Options.Prompts: ") {
					t.Errorf("%v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, name := range []string{"ask", "tell"} {
				if err := set[name].Execute(&got, data{"Ann"}); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != test.want {
				t.Errorf("%s, want %s", got.String(), test.want)
			}
		})
	}
}
