package finding_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/store"
)

func table(t testing.TB, n int, value any) *qed.Table {
	t.Helper()
	table := &qed.Table{Columns: []qed.Column{{Name: "v"}}}
	for range n {
		if err := table.Append(value); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

// durably calls do in a durable run.
func durably(t testing.TB, opt *qed.DurableOptions, do func(context.Context) error) {
	t.Helper()
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		return qed.Answer{}, do(ctx)
	}), &store.InMemory{}, opt)
	if _, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: "go"}); err != nil {
		t.Error(err)
	}
}

func TestSaveRows(t *testing.T) {
	if _, err := finding.SaveRows(t.Context(), nil); err == nil {
		t.Error("a table that is nil is saved")
	}
	rows, err := finding.SaveRows(t.Context(), table(t, 3, "x"))
	if err != nil || rows.Handle != "" || rows.Truncated || rows.String() != "3 rows found" || len(rows.Sample.Rows) != 3 {
		t.Errorf("outside a durable run: %+v, %v", rows, err)
	}
	if all, err := rows.Table(t.Context()); err != nil || len(all.Rows) != 3 {
		t.Errorf("outside a durable run: %v, %v", all, err)
	}
	rows, err = finding.SaveRows(t.Context(), table(t, 1000, strings.Repeat("x", 100)))
	if err != nil || !rows.Truncated || rows.Count != len(rows.Sample.Rows) || rows.Count == 0 || rows.Count >= 1000 {
		t.Errorf("rows that are too many for a result: %d of them, %v", rows.Count, err)
	}
	durably(t, nil, func(ctx context.Context) error {
		rows, err := finding.SaveRows(ctx, table(t, 1000, strings.Repeat("x", 2<<10)))
		if err != nil {
			return err
		}
		all, err := rows.Table(ctx)
		if err != nil || !rows.Truncated || len(all.Rows) != rows.Count || rows.Count < 10 || rows.Count >= 1000 {
			t.Errorf("rows that are too many for the store: %d of them, %v", rows.Count, err)
		}
		return nil
	})
}

func TestRowsThatAreGone(t *testing.T) {
	for name, rows := range map[string]*finding.RowsRef{
		"nil":                 nil,
		"an unknown handle":   {Handle: "saved/x", Count: 1},
		"part of the rows":    {Count: 2, Sample: *table(t, 1, "x")},
		"no handle, no rows":  {Count: 1},
		"a handle of nothing": {Handle: "x"},
	} {
		if _, err := rows.Table(t.Context()); !errors.Is(err, qed.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSaveArtifact(t *testing.T) {
	small := qed.Artifact{Name: "small", MediaType: "text/plain", Data: []byte("x")}
	large := qed.Artifact{Name: "large", MediaType: "text/plain", Data: make([]byte, 10<<10)}
	durably(t, nil, func(ctx context.Context) error {
		for _, a := range []qed.Artifact{small, large} {
			ref, err := finding.SaveArtifact(ctx, a)
			if err != nil || (ref.Handle == "") != (a.Name == "small") || (len(ref.Data) == 0) != (a.Name == "large") {
				t.Errorf("%s: %d bytes, handle %q, %v", a.Name, len(ref.Data), ref.Handle, err)
			}
			got, err := ref.Artifact(ctx)
			if diff := cmp.Diff(a, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got)\n%s", a.Name, err, diff)
			}
		}
		return nil
	})
	durably(t, nil, func(ctx context.Context) error {
		tooLarge := qed.Artifact{Name: "too large", MediaType: "text/plain", Data: make([]byte, 1<<20)}
		if _, err := finding.SaveArtifact(ctx, tooLarge); !errors.Is(err, qed.ErrTooLarge) {
			t.Errorf("an artifact that is too large: %v", err)
		}
		return nil
	})
	if ref, err := finding.SaveArtifact(t.Context(), large); err != nil || len(ref.Data) != 10<<10 {
		t.Errorf("outside a durable run: %d bytes, %v", len(ref.Data), err)
	}
}

// A member with the type of a Finding's member is read, and any other is left out.
func TestParse(t *testing.T) {
	all := finding.Finding{
		Text: "1 row found", Partial: "a shard failed",
		Rows:      &finding.RowsRef{Count: 1, Sample: *table(t, 1, "x")},
		Metadata:  &finding.QueryMetadata{QueryType: "sql", Query: json.RawMessage(`"SELECT 1"`)},
		Queries:   []qed.Query{{Language: "sql", Written: "a", Executed: "b"}},
		Artifacts: []finding.ArtifactRef{{Name: "chart", MediaType: "image/png", Data: []byte("x")}},
		Citations: []qed.Citation{{Title: "manual"}},
		Entities:  []finding.Entity{{Kind: "port", Name: "Miami"}},
	}
	output, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, finding.Parse(output)); diff != "" {
		t.Errorf("a finding (-want +got)\n%s", diff)
	}
	for _, other := range []string{
		``, `[]`, `"text"`, `{"text": 1}`, `{"rows": [1]}`, `{"rows": {"updated": 5}}`, `{"query_metadata": {"took_ms": 3}}`, `{"partial": true}`,
		`{"queries": [{"n": 1}]}`, `{"artifacts": [{"n": 1}]}`, `{"citations": [{"n": 1}]}`, `{"entities": [{"n": 1}]}`, `{"entities": {"ports": 1}}`,
	} {
		if diff := cmp.Diff(finding.Finding{}, finding.Parse(json.RawMessage(other))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", other, diff)
		}
	}
}
