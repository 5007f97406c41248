package promptset_test

import (
	"strings"
	"testing"
	"text/template"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/promptset"
)

func TestReplace(t *testing.T) {
	parse := func(text string) *template.Template {
		return template.Must(template.New("").Funcs(prompt.Funcs()).Parse(text))
	}
	type data struct{ Name string }
	own := parse("own")
	stays, gone := own, own
	host := parse("{{quote .Name}}")
	err := promptset.Replace("Options.Prompts",
		promptset.Text{Name: "Stays", Own: &stays, Data: data{}},
		promptset.Text{Name: "Gone", Host: host, Own: &gone, Data: data{}})
	if err != nil || stays != own || gone != host {
		t.Errorf("stays %v, gone %v, %v", stays == own, gone == host, err)
	}
	err = promptset.Replace("Options.Prompts", promptset.Text{Name: "Bad", Host: parse("{{.Nobody}}"), Own: &stays, Data: data{}})
	if err == nil || !strings.Contains(err.Error(), "Options.Prompts.Bad") || stays != own {
		t.Errorf("invalid template: %v", err)
	}
}
