package integration_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// A release can be installed: the commands of the module are built from a proxy that
// has nothing but the files of a release, without this checkout.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds all commands")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	version := module.Version{Path: "github.com/qedkit/qed", Version: fmt.Sprintf("v0.0.0-test.%d", time.Now().UnixNano())}
	proxy := t.TempDir()
	folder := filepath.Join(proxy, filepath.FromSlash(version.Path), "@v")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := modzip.CreateFromDir(&archive, version, root); err != nil {
		t.Fatal(err)
	}
	write("list", []byte(version.Version+"\n"))
	write(version.Version+".info", fmt.Appendf(nil, `{"Version":%q}`, version.Version))
	write(version.Version+".mod", mod)
	write(version.Version+".zip", archive.Bytes())

	env := func(name string) string {
		return strings.TrimSpace(output(t, exec.CommandContext(t.Context(), "go", "env", name)))
	}
	cache := env("GOMODCACHE")
	t.Cleanup(func() {
		for _, part := range []string{
			filepath.Join(cache, version.Path+"@"+version.Version),
			filepath.Join(cache, "cache", "download", version.Path),
		} {
			_ = filepath.WalkDir(part, func(path string, d os.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					_ = os.Chmod(path, 0o700) // modules are read-only
				}
				return nil
			})
			if err := os.RemoveAll(part); err != nil {
				t.Error(err)
			}
		}
	})
	bin := t.TempDir()
	install := exec.CommandContext(t.Context(), "go", "install")
	for _, name := range []string{"qed-guard", "qed-esguard", "qed-joingraph", "qed-serve"} {
		install.Args = append(install.Args, version.Path+"/cmd/"+name+"@latest")
	}
	install.Dir = t.TempDir()
	install.Env = append(os.Environ(), "GOPROXY=file://"+proxy+",file://"+filepath.Join(cache, "cache", "download")+","+env("GOPROXY"),
		"GOSUMDB=off", "GOFLAGS=", "GOWORK=off", "GOBIN="+bin)
	output(t, install)

	policy := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(policy, []byte(`{"dialect":"sqlite","tables":{"boat":["id"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	guard := exec.CommandContext(t.Context(), filepath.Join(bin, "qed-guard"), "-policy", policy)
	guard.Stdin = strings.NewReader(`{"id": 1, "sql": "SELECT id FROM boat"}` + "\n" + `{"id": 2, "sql": "SELECT id FROM crew"}`)
	if out := output(t, guard); strings.Count(out, "\n") != 2 || !strings.Contains(out, `"id":1,"ok":true`) || !strings.Contains(out, `"id":2,"ok":false`) {
		t.Errorf("qed-guard answers %s", out)
	}
	for _, name := range []string{"qed-esguard", "qed-joingraph", "qed-serve"} {
		output(t, exec.CommandContext(t.Context(), filepath.Join(bin, name), "-h"))
	}
}

// output runs a command and returns what it prints.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, errs.String())
	}
	return string(out)
}
