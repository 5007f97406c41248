package keyset_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/joinpath"
)

func TestTables(t *testing.T) {
	tables := keyset.NewTables("app", strings.ToLower)
	for _, name := range [][2]string{{"App", "crm.note"}, {"app", "note"}, {"CRM", "note"}, {"crm", "note"}} {
		err := tables.Add(name[0], name[1], joinpath.Table{})
		if refused := name[0] == "crm"; (err != nil) != refused {
			t.Errorf("%v: %v", name, err)
		}
	}
	if diff := cmp.Diff([]string{"CRM.note", "crm.note", "note"}, slices.Sorted(maps.Keys(tables.Into.Tables))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if schema := tables.Into.Tables["CRM.note"].Schema + tables.Into.Tables["note"].Schema; schema != "CRM" || tables.Into.Name != "app" {
		t.Errorf("the schema is %s of %s", schema, tables.Into.Name)
	}
	delete(tables.Into.Tables, "note")
	for name, want := range map[[2]string]string{{"app", "note"}: "", {"crm", "NOTE"}: "CRM.note", {"hr", "note"}: "", {"APP", "crm.note"}: "crm.note"} {
		if got := tables.Name(name[0], name[1]); got != want {
			t.Errorf("%v is %q, want %q", name, got, want)
		}
	}
}
