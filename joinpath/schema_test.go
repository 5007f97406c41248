package joinpath_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
)

const twoTables = `"tables": {"a": {"columns": ["id", "b_id", "x", "y"]}, "b": {"columns": ["id", "x", "y"]}}`

// file wraps relationships in a schema of two tables.
func file(relationships string) string {
	return `{"version": 1, ` + twoTables + `, "relationships": [` + relationships + `]}`
}

const edgeAB = `{"from_table": "a", "from_column": "b_id", "to_table": "b", "to_column": "id", "confidence": 1}`

func TestReadAccepts(t *testing.T) {
	composite := `{"from_table": "a", "from_columns": ["x", "y"], "to_table": "b", "to_columns": ["x", "y"], "confidence": 1}`
	for name, text := range map[string]string{
		"empty":             `{"version": 1, "tables": {}, "relationships": []}`,
		"no columns":        `{"version": 1, "tables": {"a": {"columns": []}}, "relationships": []}`,
		"one edge":          file(edgeAB),
		"confidence 0":      file(strings.Replace(edgeAB, `"confidence": 1`, `"confidence": 0`, 1)),
		"small confidence":  file(strings.Replace(edgeAB, `"confidence": 1`, `"confidence": 1e-300`, 1)),
		"other type":        file(strings.Replace(edgeAB, `"confidence"`, `"type": "guess", "confidence"`, 1)),
		"reversed edge":     file(edgeAB + `, {"from_table": "b", "from_column": "id", "to_table": "a", "to_column": "b_id", "confidence": 1}`),
		"parallel edge":     file(edgeAB + `,` + strings.Replace(edgeAB, `b_id`, `x`, 1)),
		"loop":              file(strings.Replace(edgeAB, `"to_table": "b"`, `"to_table": "a"`, 1)),
		"composite":         file(composite),
		"composite, firsts": file(strings.Replace(composite, `"to_table"`, `"from_column": "x", "to_column": "x", "to_table"`, 1)),
		"part of composite": file(composite + `, {"from_table": "a", "from_column": "x", "to_table": "b", "to_column": "x", "confidence": 1}`),
		"unicode names":     `{"version": 1, "tables": {"Kundé \"日本\"": {"columns": ["größe", "a'b` + "`" + `"]}}, "relationships": []}`,
		"case":              `{"version": 1, "tables": {"a": {"columns": ["ID", "id"]}, "A": {"columns": []}}, "relationships": []}`,
		"all fields": `{"version": 1, "tables": {"a": {"columns": ["id", "x"], "unique_columns": ["id"], "unique_keys": [["id", "x"]],
			"primary_key": ["id"], "types": {"id": "INT"}, "comment": "c", "column_comments": {"x": "d"}, "rows": 7, "bytes": 4096, "view": true, "secure_view": "secure_t"}}, "relationships": [
			{"from_table": "a", "from_column": "x", "to_table": "a", "to_column": "id", "type": "foreign_key", "confidence": 0.5,
			"cardinality": "N:1", "provenance": ["information_schema", "hand"]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := joinpath.Read(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			checkRoundTrip(t, s)
		})
	}
}

// checkRoundTrip writes, reads and writes again.
func checkRoundTrip(t *testing.T, s *joinpath.Schema) {
	t.Helper()
	var first, second bytes.Buffer
	if err := s.Write(&first); err != nil {
		t.Fatal(err)
	}
	again, err := joinpath.Read(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatalf("%v\n%s", err, first.Bytes())
	}
	if err := again.Write(&second); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.String(), second.String()); diff != "" {
		t.Errorf("written again (-first +second):\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	edge := func(old, new string) string { return file(strings.Replace(edgeAB, old, new, 1)) }
	const first = "/relationships/0"
	for name, tc := range map[string]struct{ text, path string }{
		"nothing":                {``, ""},
		"not JSON":               {`{"version": 1,`, ""},
		"not an object":          {`[]`, ""},
		"not UTF-8":              {"{\"version\": 1, \"tables\": {\"\xff\": {\"columns\": []}}, \"relationships\": []}", ""},
		"text after":             {file("") + `{}`, ""},
		"deep":                   {strings.Repeat("[", 20_000), ""},
		"no version":             {`{"tables": {}, "relationships": []}`, ""},
		"version 2":              {`{"version": 2, "tables": {}, "relationships": []}`, "/version"},
		"version 0":              {`{"version": 0, "tables": {}, "relationships": []}`, "/version"},
		"version as text":        {`{"version": "1", "tables": {}, "relationships": []}`, "/version"},
		"no tables":              {`{"version": 1, "relationships": []}`, ""},
		"no relationships":       {`{"version": 1, "tables": {}}`, ""},
		"null tables":            {`{"version": 1, "tables": null, "relationships": []}`, ""},
		"null relationship":      {file(`null`), first},
		"unknown field":          {`{"version": 1, "tables": {}, "relationships": [], "edges": []}`, ""},
		"field in other case":    {`{"Version": 1, "tables": {}, "relationships": []}`, ""},
		"negative rows":          {`{"version": 1, "tables": {"a": {"columns": [], "rows": -1}}, "relationships": []}`, "/tables/a"},
		"NUL in a name":          {`{"version": 1, "tables": {"a": {"columns": ["b\u0000"]}}, "relationships": []}`, "/tables/a"},
		"unknown table field":    {`{"version": 1, "tables": {"a": {"columns": [], "colour": 1}}, "relationships": []}`, "/tables/a"},
		"unknown edge field":     {edge(`"confidence"`, `"weight": 1, "confidence"`), first},
		"edge field, other case": {edge(`"confidence"`, `"Type": "x", "confidence"`), first},
		"key twice":              {`{"version": 1, "version": 1, "tables": {}, "relationships": []}`, ""},
		"table twice":            {`{"version": 1, "tables": {"a": {"columns": []}, "a": {"columns": []}}, "relationships": []}`, "/tables"},
		"table twice, escaped":   {`{"version": 1, "tables": {"a": {"columns": []}, "\u0061": {"columns": []}}, "relationships": []}`, "/tables"},
		"edge field twice":       {edge(`"confidence": 1`, `"confidence": 1, "confidence": 0.5`), first},
		"type of column twice":   {`{"version": 1, "tables": {"a": {"columns": ["x"], "types": {"x": "INT", "x": "TEXT"}}}, "relationships": []}`, "/tables/a/types"},
		"no columns field":       {`{"version": 1, "tables": {"a": {}}, "relationships": []}`, "/tables/a"},
		"column twice":           {`{"version": 1, "tables": {"a": {"columns": ["x", "x"]}}, "relationships": []}`, "/tables/a"},
		"empty column":           {`{"version": 1, "tables": {"a": {"columns": [""]}}, "relationships": []}`, "/tables/a"},
		"null column":            {`{"version": 1, "tables": {"a": {"columns": [null]}}, "relationships": []}`, "/tables/a"},
		"empty table name":       {`{"version": 1, "tables": {"": {"columns": ["x"]}}, "relationships": []}`, "/tables/"},
		"unknown unique column":  {`{"version": 1, "tables": {"a": {"columns": ["x"], "unique_columns": ["y"]}}, "relationships": []}`, "/tables/a"},
		"unknown key column":     {`{"version": 1, "tables": {"a": {"columns": ["x"], "unique_keys": [["x", "y"]]}}, "relationships": []}`, "/tables/a"},
		"empty key":              {`{"version": 1, "tables": {"a": {"columns": ["x"], "unique_keys": [[]]}}, "relationships": []}`, "/tables/a"},
		"unknown primary key":    {`{"version": 1, "tables": {"a": {"columns": ["x"], "primary_key": ["y"]}}, "relationships": []}`, "/tables/a"},
		"unknown typed column":   {`{"version": 1, "tables": {"a": {"columns": ["x"], "types": {"y": "INT"}}}, "relationships": []}`, "/tables/a"},
		"dangling table":         {edge(`"to_table": "b"`, `"to_table": "c"`), first},
		"table in other case":    {edge(`"to_table": "b"`, `"to_table": "B"`), first},
		"dangling column":        {edge(`"b_id"`, `"c_id"`), first},
		"no confidence":          {edge(`, "confidence": 1`, ``), first},
		"null confidence":        {edge(`"confidence": 1`, `"confidence": null`), first},
		"confidence above 1":     {edge(`"confidence": 1`, `"confidence": 1.0001`), first},
		"confidence below 0":     {edge(`"confidence": 1`, `"confidence": -0.1`), first},
		"confidence too large":   {edge(`"confidence": 1`, `"confidence": 1e999`), first},
		"confidence as text":     {edge(`"confidence": 1`, `"confidence": "1"`), first},
		"unknown cardinality":    {edge(`"confidence": 1`, `"confidence": 1, "cardinality": "1:M"`), first},
		"no column":              {edge(`"from_column": "b_id", `, ``), first},
		"duplicate":              {file(edgeAB + `,` + edgeAB), "/relationships/1"},
		"uneven composite":       {edge(`"confidence"`, `"from_columns": ["b_id", "x"], "confidence"`), first},
		"first of composite": {edge(`"confidence"`,
			`"from_columns": ["x", "y"], "to_columns": ["x", "y"], "confidence"`), first},
		"pair twice": {file(`{"from_table": "a", "from_columns": ["x", "x"], "to_table": "b", "to_columns": ["x", "x"], "confidence": 1}`), first},
		"duplicate composite in another order": {file(
			`{"from_table": "a", "from_columns": ["x", "y"], "to_table": "b", "to_columns": ["x", "y"], "confidence": 1},` +
				`{"from_table": "a", "from_columns": ["y", "x"], "to_table": "b", "to_columns": ["y", "x"], "confidence": 1}`), "/relationships/1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := joinpath.Read(strings.NewReader(tc.text))
			if !errors.Is(err, joinpath.ErrSchema) {
				t.Fatalf("got %v, want an invalid schema", err)
			}
			if got := problems(t, err)[0].Path; !strings.HasPrefix(got, tc.path) || (tc.path == "") != (got == "") {
				t.Errorf("path %q, want %q", got, tc.path)
			}
		})
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	if _, err := joinpath.Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	endless := io.MultiReader(strings.NewReader(`{"version": `), &spaces{left: 64 << 20})
	if _, err := joinpath.Read(endless); !errors.Is(err, joinpath.ErrSchema) {
		t.Errorf("got %v, want too large", err)
	}
}

// spaces is a reader of left bytes of white space.
type spaces struct{ left int }

func (s *spaces) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), s.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	s.left -= n
	return n, nil
}

// TestReadReportsAll: a person who fixes a file wants all problems at once, but
// not a million of them.
func TestReadReportsAll(t *testing.T) {
	var edges []string
	for i := range 5000 {
		edges = append(edges, strings.Replace(edgeAB, "b_id", fmt.Sprint("c", i), 1))
	}
	_, err := joinpath.Read(strings.NewReader(file(strings.Join(edges, ","))))
	if n := len(problems(t, err)); n != 100 {
		t.Fatalf("got %d problems, want 100", n)
	}
	if len(err.Error()) > 4000 {
		t.Errorf("the message has %d bytes", len(err.Error()))
	}
}

func TestWriteRefuses(t *testing.T) {
	s := &joinpath.Schema{Relationships: []joinpath.Relationship{
		{FromTable: "a", FromColumn: "x", ToTable: "b", ToColumn: "x", Confidence: math.NaN()},
	}}
	if err := s.Write(io.Discard); !errors.Is(err, joinpath.ErrSchema) {
		t.Errorf("got %v, want an invalid schema", err)
	}
	broken := errors.New("broken")
	if err := new(joinpath.Schema).Write(brokenWriter{broken}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestWrite(t *testing.T) {
	s := &joinpath.Schema{
		Tables: map[string]joinpath.Table{"b": {Columns: []string{"<y>", "x"}}, "a": {}},
		Relationships: []joinpath.Relationship{
			{FromTable: "b", FromColumns: []string{"x", "<y>"}, ToTable: "b", ToColumns: []string{"<y>", "x"}, Confidence: 0.5},
			{FromTable: "b", FromColumns: []string{"<y>"}, ToTable: "b", ToColumns: []string{"x"}, Confidence: 1},
		},
	}
	var got bytes.Buffer
	if err := s.Write(&got); err != nil {
		t.Fatal(err)
	}
	want := `{
  "version": 1,
  "tables": {
    "a": {
      "columns": []
    },
    "b": {
      "columns": [
        "<y>",
        "x"
      ]
    }
  },
  "relationships": [
    {
      "from_table": "b",
      "from_column": "<y>",
      "to_table": "b",
      "to_column": "x",
      "confidence": 1
    },
    {
      "from_table": "b",
      "from_column": "x",
      "to_table": "b",
      "to_column": "<y>",
      "from_columns": [
        "x",
        "<y>"
      ],
      "to_columns": [
        "<y>",
        "x"
      ],
      "confidence": 0.5
    }
  ]
}
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestManyProblems: in a schema in which everything is wrong, the search for
// similar names stops.
func TestManyProblems(t *testing.T) {
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for i := range 50 {
		var table joinpath.Table
		for j := range 40 {
			table.Columns = append(table.Columns, fmt.Sprintf("column%d", j))
			table.UniqueColumns = append(table.UniqueColumns, fmt.Sprintf("colunm%d", j))
		}
		s.Tables[fmt.Sprintf("t%02d", i)] = table
	}
	_, err := joinpath.New(s, nil)
	found := problems(t, err)
	hints := 0
	for _, p := range found {
		if p.Candidates != nil {
			hints++
		}
	}
	if len(found) != 100 || hints != 10 {
		t.Errorf("%d problems, %d with candidates; want 100 and 10", len(found), hints)
	}
}

func TestAddForeignKey(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"line":  {Columns: []string{"order", "no", "part"}, PrimaryKey: []string{"order", "no"}},
		"note":  {Columns: []string{"order", "no", "text"}},
		"badge": {Columns: []string{"part"}, UniqueColumns: []string{"part"}},
		"part":  {Columns: []string{"id", "Id2"}, PrimaryKey: []string{"id"}},
	}}
	for _, tt := range []struct {
		name                   string
		from, to               string
		fromColumns, toColumns []string
		refused                bool
	}{
		{"two columns", "note", "line", []string{"order", "no"}, []string{"order", "no"}, false},
		{"once more, in another order", "note", "line", []string{"no", "order"}, []string{"no", "order"}, false},
		{"to a part of a key", "note", "line", []string{"order"}, []string{"order"}, false},
		{"from a key, in another case", "badge", "part", []string{"PART"}, []string{"ID"}, false},
		{"unknown from column", "badge", "part", []string{"gone"}, []string{"id"}, true},
		{"unknown to column", "badge", "part", []string{"part"}, []string{"gone"}, true},
		{"unknown from table", "gone", "part", []string{"part"}, []string{"id"}, true},
		{"unknown to table", "badge", "gone", []string{"part"}, []string{"id"}, true},
		{"uneven", "note", "line", []string{"order", "no"}, []string{"order"}, true},
		{"no columns", "note", "line", nil, nil, true},
	} {
		err := schema.AddForeignKey(tt.from, tt.fromColumns, tt.to, tt.toColumns)
		if (err != nil) != tt.refused || err != nil && !errors.Is(err, joinpath.ErrSchema) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	rel := func(from, fromColumn, to, toColumn string, cardinality joinpath.Cardinality) joinpath.Relationship {
		return joinpath.Relationship{
			FromTable: from, FromColumn: fromColumn, ToTable: to, ToColumn: toColumn,
			Type: joinpath.ForeignKey, Confidence: 1, Cardinality: cardinality, Provenance: []string{"foreign key"},
		}
	}
	composite := rel("note", "order", "line", "order", joinpath.ManyToOne)
	composite.FromColumns, composite.ToColumns = []string{"order", "no"}, []string{"order", "no"}
	want := []joinpath.Relationship{
		composite,
		rel("note", "order", "line", "order", joinpath.ManyToMany),
		rel("badge", "part", "part", "id", joinpath.OneToOne),
	}
	if diff := cmp.Diff(want, schema.Relationships); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
