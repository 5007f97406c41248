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

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/command/lines"
	"github.com/qedkit/qed/internal/command/searchguard"
)

// asProgram makes the test binary behave as the program, in a process of its own.
const asProgram = "ESGUARD_TEST_AS_PROGRAM"

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

func answers(t *testing.T, out string) []searchguard.Answer {
	t.Helper()
	var list []searchguard.Answer
	for line := range strings.Lines(out) {
		var a searchguard.Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if (a.Verdict == esquery.Refused) != (a.Body == nil) || (a.Verdict == esquery.OK) != (len(a.Problems) == 0) || a.Problems == nil {
			t.Errorf("answer %s", line)
		}
		list = append(list, a)
	}
	return list
}

// summary returns the id, verdict, codes and first candidates of an answer.
func summary(a searchguard.Answer) string {
	s := fmt.Sprintf("%s %s", a.ID, a.Verdict)
	for _, p := range a.Problems {
		s += " " + string(p.Code)
		if len(p.Candidates) > 0 {
			s += ":" + p.Candidates[0]
		}
		if p.Fix != "" {
			s += "=" + p.Fix
		}
	}
	return s
}

func summaries(list []searchguard.Answer) []string {
	all := make([]string, len(list))
	for i, a := range list {
		all[i] = summary(a)
	}
	return all
}

func TestBodies(t *testing.T) {
	in, err := os.Open("testdata/bodies.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, errs, status := finish(t, program(t, "-mapping", "testdata/mapping.json", "-filter", "testdata/filter.json", "-sensitive", "owner.ssn"), in)
	if status != lines.OK || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	list := answers(t, out)
	if diff := cmp.Diff([]string{
		"1 ok",
		"2 refused field_type:commonAttributes.name.keyword",
		"3 fixed unknown_field=entityType.keyword",
		"4 refused nested_path:comments",
		"5 ok",
		"6 refused invalid_literal",
		"7 refused filter_bypass",
		"8 refused unknown_field",
		"9 refused script:bool",
		"10 refused unknown_index:files",
		`{"batch":2,"n":11} ok`,
	}, summaries(list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, a := range list {
		body := string(a.Body)
		if body != "" && !(strings.Contains(body, `{"tenantId":"acme"}`) && strings.Contains(body, `"excludes":["owner.ssn"`)) {
			t.Errorf("%s: neither the filter nor the hiding may be missing in %s", a.ID, body)
		}
	}
}

func TestLines(t *testing.T) {
	texts := []string{
		`{"id": "a\u0000\u2028", "body": {"query": {"match": {"documentAttributes.content": "a < b"}}}}`,
		``,
		`   `,
		`not json`,
		`{"id": [1, 1.0], "body": {}}`,
		`{"id": 2}`,
		`{"id": 3, "index": 5, "body": {}}`,
		`{"body": {"size": 1}}`,
		`{"id": null, "body": {"size": 2}}`,
		`[1]`,
		`{"id": 4, "body": {}} {"id": 5}`,
		`{"id": 6, "body": "match_all"}`,
		`{"id": 7, "body": {"size": 1, "size": 2}}`,
		`{"id": 8, "body": {"query": {"match_all": {}}}, "index": "files"}`,
		`{"id": 9, "body": {"query": {"match": {"documentAttributes.content": "` + strings.Repeat("x", 3<<20) + `"}}}}`,
		`{"id": 10, "body": "` + strings.Repeat("x", lines.MaxLength) + `"}`,
		`{"id": 11, "body": {}}`, // without a newline at its end
	}
	out, errs, status := finish(t, program(t, "-mapping", "testdata/mapping.json"), strings.NewReader(strings.Join(texts, "\n")))
	if status != lines.OK || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	list := answers(t, out)
	if diff := cmp.Diff([]string{
		`"a\u0000\u2028" ok`,
		"4 refused bad_line",
		"[1,1.0] ok",
		"2 refused bad_line",
		"3 refused bad_line",
		"8 ok",
		"9 ok",
		"10 refused bad_line",
		"11 refused bad_line",
		"6 refused malformed",
		"7 refused duplicate_key",
		"8 ok",
		"9 refused too_large",
		"16 refused too_large",
		"11 ok",
	}, summaries(list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := string(list[0].Body); got != `{"query":{"match":{"documentAttributes.content":"a < b"}}}` {
		t.Errorf("the body came out as %s", got)
	}
}

// TestIndices checks which indices may be searched, with and without -index.
func TestIndices(t *testing.T) {
	const (
		fieldA  = `{"properties":{"a":{"type":"keyword"}}}`
		several = `{"one":{"mappings":` + fieldA + `},"two":{"mappings":{"properties":{"b":{"type":"keyword"}}}}}`
		onA     = `"body":{"query":{"term":{"a":"x"}}}}`
		onB     = `"body":{"query":{"term":{"b":"x"}}}}`
	)
	tests := []struct {
		name    string
		mapping string
		flags   []string
		line    string
		want    string
	}{
		{"one mapping alone", fieldA, nil, `{` + onA, "1 ok"},
		{"under mappings", `{"mappings":` + fieldA + `}`, nil, `{` + onA, "1 ok"},
		{"alone, with a name", fieldA, []string{"-index", "files"}, `{"index":"files",` + onA, "1 ok"},
		{"alone, with another name", fieldA, []string{"-index", "files"}, `{"index":"file",` + onA, "1 refused unknown_index:files"},
		{"several, none named", several, nil, `{` + onA, "1 refused unknown_index:one"},
		{"several, one named", several, nil, `{"index":"one",` + onA, "1 ok"},
		{"several, the other named", several, nil, `{"index":"two",` + onB, "1 ok"},
		{"a field of the other", several, nil, `{"index":"two",` + onA, "1 refused unknown_field:b"},
		{"not on the list", several, []string{"-index", "one"}, `{"index":"two",` + onB, "1 refused unknown_index:one"},
		{"the only one on the list", several, []string{"-index", "one"}, `{` + onA, "1 ok"},
		{"two on the list", several, []string{"-index", "one", "-index", "two"}, `{"index":"two",` + onB, "1 ok"},
		{"an alias of both", several, []string{"-index", "both"}, `{` + onB, "1 ok"},
		{"a wildcard", several, nil, `{"index":"*",` + onA, "1 refused unknown_index:one"},
		{"a list", several, nil, `{"index":"one,two",` + onA, "1 refused unknown_index:one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mapping := write(t, tt.mapping)
			out, errs, status := finish(t, program(t, append([]string{"-mapping", mapping}, tt.flags...)...), strings.NewReader(tt.line))
			if status != lines.OK {
				t.Fatalf("status %d: %s", status, errs)
			}
			if diff := cmp.Diff([]string{tt.want}, summaries(answers(t, out))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCoProcess checks that each line is answered before the next is written.
func TestCoProcess(t *testing.T) {
	cmd := program(t, "-mapping", "testdata/mapping.json")
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
		fmt.Fprintf(in, `{"id": %d, "body": {"size": 1}}`+"\n", i)
		select {
		case reply := <-replies:
			if !strings.HasPrefix(reply, fmt.Sprintf(`{"id":%d,"verdict":"ok","body":{`, i)) {
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
	noMapping := write(t, `[]`)
	noFilter := write(t, `{"term": {"tenant": "acme"}}`)
	tests := []struct {
		args   []string
		in     string
		status int
		errs   string
	}{
		{nil, "", lines.Usage, "-mapping"},
		{[]string{"-mapping", "missing.json"}, "", lines.Usage, "missing.json"},
		{[]string{"-mapping", noMapping}, "", lines.Usage, noMapping},
		{[]string{"-mapping", "testdata/bodies.jsonl"}, "", lines.Usage, "testdata/bodies.jsonl"},
		{[]string{"-mapping", "testdata/mapping.json", "x.jsonl"}, "", lines.Usage, "x.jsonl"},
		{[]string{"-mapping", "testdata/mapping.json", "-filter", "missing.json"}, "", lines.Usage, "missing.json"},
		{[]string{"-mapping", "testdata/mapping.json", "-filter", noFilter}, "", lines.Usage, "tenant"},
		{[]string{"-mapping", "testdata/mapping.json", "-sensitive", "owner.snn"}, "", lines.Usage, "owner.snn"},
		{[]string{"-mapping", "testdata/mapping.json", "-index", "a*"}, "", lines.Usage, "a*"},
		{[]string{"-mapping", "testdata/mapping.json"}, "", lines.OK, ""},
		{[]string{"-mapping", "testdata/mapping.json", "-fail"}, `{"body": {}}`, lines.OK, ""},
		{[]string{"-mapping", "testdata/mapping.json"}, `{"body": []}`, lines.OK, ""},
		{[]string{"-mapping", "testdata/mapping.json", "-fail"}, `{"body": []}`, lines.Failed, "refused: 1"},
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

// TestBadLineHasItsNumber checks that blank lines count, also next to an id.
func TestBadLineHasItsNumber(t *testing.T) {
	out, _, _ := finish(t, program(t, "-mapping", "testdata/mapping.json"), strings.NewReader("\n[1]\n{\"id\": 7}\n"))
	got := answers(t, out)
	if len(got) != 2 || !strings.HasPrefix(got[0].Problems[0].Message, "line 2 ") || !strings.HasPrefix(got[1].Problems[0].Message, "line 3 ") {
		t.Errorf("the answers have no numbers of lines: %s", out)
	}
}

// write writes a text to a file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A second filter is an error: the first one would be dropped unseen.
func TestSecondFilter(t *testing.T) {
	_, errs, status := finish(t, program(t, "-mapping", "testdata/mapping.json", "-filter", "a.json", "-filter", "b.json"), strings.NewReader(""))
	if status != lines.Usage || !strings.Contains(errs, "-filter: it is set twice") {
		t.Errorf("status %d: %s", status, errs)
	}
}
