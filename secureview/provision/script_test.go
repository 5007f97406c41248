package provision_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview/provision"
)

var update = flag.Bool("update", false, "rewrite the golden scripts")

func TestSQLGolden(t *testing.T) {
	for _, dialect := range []string{"mysql", "postgres"} {
		script, err := provision.SQL(company(dialect))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", dialect+".sql")
		if *update {
			if err := os.WriteFile(path, []byte(script.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), script.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dialect, diff)
		}
	}
}
