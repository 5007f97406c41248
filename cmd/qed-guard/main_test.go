package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/command/lines"
	"github.com/qedkit/qed/internal/command/sqlguard"
)

// asProgram makes the test binary behave as the program, in a process of its own.
const asProgram = "GUARD_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// finish runs the program to its end and returns its output and status.
func finish(t *testing.T, cmd *exec.Cmd, in io.Reader) (out, errs string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func answers(t *testing.T, out string) []sqlguard.Answer {
	t.Helper()
	var list []sqlguard.Answer
	for line := range strings.Lines(out) {
		var a sqlguard.Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, a)
	}
	return list
}

func TestDialects(t *testing.T) {
	for _, dialect := range []string{"mysql", "postgres", "sqlite"} {
		policy := filepath.Join(t.TempDir(), "policy.json")
		text := fmt.Sprintf(`{"dialect":%q,"schema":"app","tables":{"boat":["id"]}}`, dialect)
		if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs, status := finish(t, program(t, "-policy", policy), strings.NewReader(`{"sql": "SELECT id FROM boat"}`))
		got := answers(t, out)
		if status != lines.OK || len(got) != 1 || !got[0].OK || strings.Contains(got[0].SQL, "`") != (dialect == "mysql") {
			t.Errorf("%s: status %d, %s %s", dialect, status, out, errs)
		}
	}
}

func TestStatements(t *testing.T) {
	in, err := os.Open("testdata/statements.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, errs, status := finish(t, program(t, "-policy", "testdata/policy.json"), in)
	if status != lines.OK || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	var got []string
	for _, a := range answers(t, out) {
		got = append(got, fmt.Sprintf("%s %t %s %s", a.ID, a.OK, a.Code, strings.Join(a.Candidates, ",")))
		if a.OK != (a.SQL != "") || a.OK == (a.Message != "") {
			t.Errorf("answer %+v", a)
		}
	}
	if diff := cmp.Diff([]string{
		"1 true  ",
		"2 true  ",
		"3 true  ",
		"4 false unknown_column employeeCrew.isLead",
		"5 false unknown_view inspections",
		"6 false unknown_view secure_workorder,workOrder",
		"7 true  ",
		"8 false variable ",
		"9 false unknown_schema ",
		"10 false not_select ",
		"11 false function length,char_length,ln,bit_length,json_length",
		`{"batch":2,"n":12} true  `,
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A line has the values of the policy's filters.
func TestFilter(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.json")
	text := `{"dialect":"mysql","schema":"app","tables":{"boat":["id"]},"filters":{"boat":"owner IN (:owner)"}}`
	if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, status := finish(t, program(t, "-policy", policy), strings.NewReader(`{"sql": "SELECT id FROM boat", "session": {"owner": "7,8"}}
{"sql": "SELECT id FROM boat"}
{"sql": "SELECT id FROM boat", "session": {"owner": 7}}
`))
	got := answers(t, out)
	if status != lines.OK || len(got) != 3 || !got[0].OK || !strings.Contains(got[0].SQL, "IN ('7', '8')") ||
		got[1].Code != "missing_setting" || got[2].Code != lines.Bad {
		t.Errorf("status %d, %s %s", status, out, errs)
	}
}

func TestLines(t *testing.T) {
	texts := []string{
		`{"id": "a\u0000\u2028", "sql": "SELECT id FROM crew"}`,
		``,
		`   `,
		`not json`,
		`{"id": 1, "sql": 5}`,
		`{"id": 2}`,
		`{"id": [3, 3.0], "sql": "SELECT 'a < b' AS x"}`,
		`{"sql": "SELECT 1 AS one"}`,
		`[1]`,
		`{"id": 4, "sql": "SELECT 1"} {"id": 5}`,
		`{"id": 6, "sql": "SELECT '` + strings.Repeat("x", 3<<20) + `'"}`,
		`{"id": 7, "sql": "` + strings.Repeat("x", lines.MaxLength) + `"}`,
		`{"id": 8, "sql": "SELECT 2 AS two"}`, // without a newline at its end
	}
	out, errs, status := finish(t, program(t, "-policy", "testdata/policy.json"), strings.NewReader(strings.Join(texts, "\n")))
	if status != lines.OK || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	var got []string
	for _, a := range answers(t, out) {
		got = append(got, fmt.Sprintf("%s %s %s", a.ID, a.SQL, a.Code))
	}
	if diff := cmp.Diff([]string{
		`"a\u0000\u2028" SELECT ` + "`crew`.`id` AS `id` FROM `app`.`crew` LIMIT 500 ",
		"null  bad_line",
		"1  bad_line",
		"2  bad_line",
		"[3,3.0] SELECT 'a < b' AS `x` LIMIT 500 ",
		"null SELECT 1 AS `one` LIMIT 500 ",
		"null  bad_line",
		"null  bad_line",
		"6  too_large",
		"null  too_large",
		"8 SELECT 2 AS `two` LIMIT 500 ",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCoProcess checks that each line is answered before the next is written.
func TestCoProcess(t *testing.T) {
	cmd := program(t, "-policy", "testdata/policy.json")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	replies := make(chan string)
	go func() {
		defer close(replies)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			replies <- scanner.Text()
		}
	}()
	for i := range 3 {
		fmt.Fprintf(in, `{"id": %d, "sql": "SELECT id FROM crew"}`+"\n", i)
		select {
		case reply := <-replies:
			if !strings.HasPrefix(reply, fmt.Sprintf(`{"id":%d,"ok":true,`, i)) {
				t.Errorf("reply %s", reply)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("no reply")
		}
	}
	in.Close()
	if _, more := <-replies; more {
		t.Error("there is one reply too many")
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestStatus(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(broken, []byte(`{"dialect": "mysql", "schema": "app", "tables": {"a": []}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args   []string
		in     string
		status int
		errs   string
	}{
		{nil, "", lines.Usage, "-policy"},
		{[]string{"-policy", "missing.json"}, "", lines.Usage, "missing.json"},
		{[]string{"-policy", broken}, "", lines.Usage, `tables["a"]`},
		{[]string{"-policy", "testdata/statements.jsonl"}, "", lines.Usage, "id"},
		{[]string{"-policy", "testdata/policy.json", "x.jsonl"}, "", lines.Usage, "x.jsonl"},
		{[]string{"-policy", "testdata/policy.json"}, "", lines.OK, ""},
		{[]string{"-policy", "testdata/policy.json", "-fail"}, `{"sql": "SELECT 1 AS one"}`, lines.OK, ""},
		{[]string{"-policy", "testdata/policy.json"}, `{"sql": "SELECT x"}`, lines.OK, ""},
		{[]string{"-policy", "testdata/policy.json", "-fail"}, `{"sql": "SELECT x"}`, lines.Failed, "refused: 1"},
	}
	for _, tt := range tests {
		_, errs, status := finish(t, program(t, tt.args...), strings.NewReader(tt.in))
		if status != tt.status || !strings.Contains(errs, tt.errs) || (errs == "") != (tt.errs == "") {
			t.Errorf("%v: status %d: %s", tt.args, status, errs)
		}
		if strings.Count(errs, "\n") > 1 {
			t.Errorf("%v: more than one line: %s", tt.args, errs)
		}
	}
}

// TestBadLineHasItsNumber checks that blank lines count.
func TestBadLineHasItsNumber(t *testing.T) {
	out, _, _ := finish(t, program(t, "-policy", "testdata/policy.json"), strings.NewReader("\n[1]\n{\"id\": 7}\n"))
	got := answers(t, out)
	if len(got) != 2 || !strings.HasPrefix(got[0].Message, "line 2 ") || !strings.HasPrefix(got[1].Message, "line 3 ") {
		t.Errorf("the answers have no numbers of lines: %s", out)
	}
}

func TestHelp(t *testing.T) {
	_, errs, status := finish(t, program(t, "-h"), nil)
	if status != lines.OK || !strings.Contains(errs, `{"id": .., "sql": ".."}`) || !strings.Contains(errs, "-policy") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// A second policy is an error: the first one would be dropped unseen.
func TestSecondPolicy(t *testing.T) {
	_, errs, status := finish(t, program(t, "-policy", "testdata/policy.json", "-policy", "testdata/policy.json"), strings.NewReader(""))
	if status != lines.Usage || !strings.Contains(errs, "-policy: it is set twice") {
		t.Errorf("status %d: %s", status, errs)
	}
}
