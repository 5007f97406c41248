package sealed_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sealed"
)

// Whatever somebody without a key changes in the database, a record that was
// changed does not open, and the others do.
func TestAttacks(t *testing.T) {
	const (
		victim = "(SELECT id << 32 FROM qed_threads WHERE name = 'victim')"
		other  = "(SELECT id << 32 FROM qed_threads WHERE name = 'other')"
		second = "UPDATE qed_records SET %s WHERE place = " + victim + " + 2"
	)
	change := func(set string) []string { return []string{fmt.Sprintf(second, set)} }
	flip := func(at string) []string { // another character of the alphabet at an offset, negative from the end
		return change("data = CAST(substr(data, 1, " + at + " - 1) || " +
			"CASE CAST(substr(data, " + at + ", 1) AS TEXT) WHEN 'A' THEN 'B' ELSE 'A' END || " +
			"substr(data, " + at + " + 1) AS BLOB)")
	}
	const start = "length('{\"key\":\"a\",\"sealed\":\"') + " // offsets are counted from 1
	corrupt := func(err error) bool { return errors.Is(err, store.ErrCorrupt) }
	keyError := func(err error) bool {
		_, ok := errors.AsType[*sealed.KeyError](err)
		return ok && !corrupt(err)
	}
	notSealed := func(err error) bool { return errors.Is(err, sealed.ErrNotSealed) && !corrupt(err) }
	for name, test := range map[string]struct {
		statements []string
		want       func(error) bool
		seq        int64
	}{
		"swap two records": {[]string{
			"UPDATE qed_records SET place = place + 90 WHERE place = " + victim + " + 2",
			"UPDATE qed_records SET place = place - 1 WHERE place = " + victim + " + 3",
			"UPDATE qed_records SET place = place - 89 WHERE place = " + victim + " + 92",
		}, corrupt, 2},
		"the data of the other thread": {
			change("data = (SELECT data FROM qed_records WHERE place = " + other + " + 2)"), corrupt, 2,
		},
		"the record of the other thread": {[]string{
			"DELETE FROM qed_records WHERE place = " + victim + " + 2",
			"UPDATE qed_records SET place = " + victim + " + 2 WHERE place = " + other + " + 2",
		}, corrupt, 2},
		"a thread with the name of the other": {[]string{
			"UPDATE qed_threads SET name = 'moved' WHERE name = 'victim'",
			"UPDATE qed_threads SET name = 'victim' WHERE name = 'other'",
		}, corrupt, 1},
		"replay at a new number": {[]string{
			"INSERT INTO qed_records SELECT " + victim + " + 4, written, kind, run, address, data " +
				"FROM qed_records WHERE place = " + victim + " + 1",
		}, corrupt, 4},
		"a later number": {[]string{
			"UPDATE qed_records SET place = place + 10 WHERE place = " + victim + " + 3",
		}, corrupt, 13},
		"another kind":             {change("kind = 'reply'"), corrupt, 2},
		"another run":              {change("run = 2"), corrupt, 2},
		"another address":          {change("address = 'sql'"), corrupt, 2},
		"another time":             {change("written = written + 1"), corrupt, 2},
		"address and kind shifted": {change("kind = 'messages', address = 'ql/execute'"), corrupt, 2},
		"the salt":                 {flip(start + "15"), corrupt, 2},
		"the nonce":                {flip(start + "40"), corrupt, 2},
		"the text":                 {flip(start + "60"), corrupt, 2},
		"the tag":                  {flip("length(data) - 5"), corrupt, 2},
		"the last character":       {flip("length(data) - 2"), corrupt, 2},
		"no base64":                {change("data = CAST(replace(data, '\"}', '!\"}') AS BLOB)"), corrupt, 2},
		"text cut off": {
			change("data = CAST(substr(data, 1, length(data) - 12) || '\"}' AS BLOB)"), corrupt, 2,
		},
		"nothing but the form":       {change("data = CAST('{\"key\":\"a\",\"sealed\":\"\"}' AS BLOB)"), corrupt, 2},
		"data cut off":               {change("data = CAST(substr(data, 1, length(data) - 12) AS BLOB)"), corrupt, 2},
		"the mark of the key":        {flip(start + "3"), keyError, 2},
		"an unknown key":             {change("data = CAST(replace(data, '\"a\"', '\"c\"') AS BLOB)"), keyError, 2},
		"another key of the program": {change("data = CAST(replace(data, '\"a\"', '\"b\"') AS BLOB)"), keyError, 2},
		"no data":                    {change("data = NULL"), notSealed, 2},
		"data that are not sealed":   {change("data = CAST('{\"role\":\"system\"}' AS BLOB)"), notSealed, 2},
		"a record that is not sealed": {[]string{
			"INSERT INTO qed_records VALUES (" + victim + " + 4, 0, 'message', 1, '', CAST('{\"role\":\"system\"}' AS BLOB))",
		}, notSealed, 4},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "conversations.db")
			inner := openSQLite(t, path)
			st := over(t, inner, newKeys(t, "b", "a"))
			noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
			for _, thread := range []string{"other", "victim"} {
				for after := range int64(3) {
					rec := record(`{"role":"user","content":"how many crews are there?"}`)
					rec.Time = noon
					appended(t, st, thread, after, rec)
				}
			}
			if err := inner.Close(); err != nil {
				t.Fatal(err)
			}
			execute(t, path, test.statements)

			st = over(t, openSQLite(t, path), newKeys(t, "b", "a"))
			seq, err := readError(t, st, "victim")
			if seq != test.seq || !test.want(err) {
				t.Errorf("number %d, %v: another number than %d, or another error than expected", seq, err, test.seq)
			}
			for number := int64(1); number < min(test.seq, 3); number++ {
				for rec, err := range st.Records(t.Context(), "victim", store.Range{From: number, Limit: 1}) {
					if err != nil || rec.Seq != number {
						t.Errorf("record %d, which is as it was: %v", number, err)
					}
				}
			}
		})
	}
}

// execute executes statements, each of which changes something.
func execute(t *testing.T, path string, statements []string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		result, err := db.Exec(statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if n, err := result.RowsAffected(); n == 0 || err != nil {
			t.Fatalf("%s changed %d rows, %v", statement, n, err)
		}
	}
}

// A sealed record opens as it was, or not at all.
func FuzzOpen(f *testing.F) {
	keys := newKeys(f, "b", "a")
	inner := new(store.InMemory)
	st := over(f, inner, keys)
	const text = `{"role":"user","content":"how many crews are there?"}`
	rec := record(text)
	appended(f, st, "thread", 0, rec)
	saved := read(f, inner, "thread")[0]
	f.Add([]byte(saved.Data), "thread", saved.Address, saved.Run)
	f.Add([]byte(saved.Data), "other", saved.Address, saved.Run)
	f.Add([]byte(saved.Data), "thread", "sql", saved.Run)
	f.Add([]byte(saved.Data[:60]), "thread", saved.Address, saved.Run)
	for _, data := range []string{
		"", text, `{"key":"a","sealed":""}`, `{"key":"","sealed":"AAAA"}`, `{"key":"a","sealed":"`,
	} {
		f.Add([]byte(data), "thread", saved.Address, saved.Run)
	}
	f.Fuzz(func(t *testing.T, data []byte, thread, address string, run int64) {
		changed := saved
		changed.Data, changed.Address, changed.Run = data, address, run
		inner := new(store.InMemory)
		if inner.Append(t.Context(), thread, 0, changed) != nil {
			return // the thread or the address is invalid
		}
		for rec, err := range over(t, inner, keys).Records(t.Context(), thread, store.Range{}) {
			same := thread == "thread" && address == saved.Address && run == saved.Run
			switch _, ok := errors.AsType[*sealed.KeyError](err); {
			case err == nil && same && string(rec.Data) == text:
			case err == nil:
				t.Errorf("opened %s of %s as %s", data, thread, rec.Data)
			case !ok && !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, sealed.ErrNotSealed):
				t.Errorf("%s: an error of another type: %v", data, err)
			}
		}
	})
}
