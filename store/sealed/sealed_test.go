package sealed_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sealed"
	"github.com/qedkit/qed/store/sqlitestore"
	"github.com/qedkit/qed/store/sqlstore"
	"github.com/qedkit/qed/store/storetest"
)

// secret returns a key that is different for each letter.
func secret(letter string) []byte { return bytes.Repeat([]byte(letter), 32) }

// newKeys returns keys whose ids are letters. The last one is the current one.
func newKeys(tb testing.TB, ids ...string) sealed.Keys {
	tb.Helper()
	all := map[string][]byte{}
	for _, id := range ids {
		all[id] = secret(id)
	}
	keys, err := sealed.StaticKeys(ids[len(ids)-1], all)
	if err != nil {
		tb.Fatal(err)
	}
	return keys
}

// over returns a sealed store over st.
func over(tb testing.TB, st store.Store, keys sealed.Keys) store.Store {
	tb.Helper()
	s, err := sealed.New(st, keys)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func openSQLite(tb testing.TB, path string) *sqlstore.Store {
	tb.Helper()
	st, err := sqlitestore.Open(path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	return st
}

func TestInMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return over(t, new(store.InMemory), newKeys(t, "a", "b"))
	})
}

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return over(t, openSQLite(t, filepath.Join(t.TempDir(), "conversations.db")), newKeys(t, "a", "b"))
	})
}

func TestNew(t *testing.T) {
	for _, test := range []struct {
		st   store.Store
		keys sealed.Keys
	}{{nil, newKeys(t, "a")}, {new(store.InMemory), nil}} {
		if _, err := sealed.New(test.st, test.keys); err == nil {
			t.Errorf("New(%v, %v) returned no error", test.st, test.keys)
		}
	}
}

func TestStaticKeys(t *testing.T) {
	good := secret("a")
	for name, test := range map[string]struct {
		current string
		keys    map[string][]byte
	}{
		"no keys":        {"a", nil},
		"no current key": {"b", map[string][]byte{"a": good}},
		"no id":          {"", map[string][]byte{"": good}},
		"a quote":        {`a"`, map[string][]byte{`a"`: good}},
		"a backslash":    {`a\`, map[string][]byte{`a\`: good}},
		"a space":        {"a b", map[string][]byte{"a b": good}},
		"not ASCII":      {"ä", map[string][]byte{"ä": good}},
		"a long id":      {strings.Repeat("a", 129), map[string][]byte{strings.Repeat("a", 129): good}},
		"16 bytes":       {"a", map[string][]byte{"a": good[:16]}},
		"33 bytes":       {"a", map[string][]byte{"a": append(good, 0)}},
		"an old key":     {"a", map[string][]byte{"a": good, "b": nil}},
	} {
		if _, err := sealed.StaticKeys(test.current, test.keys); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	arn := "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab#3"
	keys := map[string][]byte{arn: good}
	static, err := sealed.StaticKeys(arn, keys)
	if err != nil {
		t.Fatal(err)
	}
	clear(keys[arn]) // the caller may erase its copy
	if got, err := static.Key(t.Context(), arn); err != nil || bytes.Equal(got, keys[arn]) {
		t.Errorf("the key changes with that of the caller: %v", err)
	}
	st := over(t, new(store.InMemory), static)
	appended(t, st, "thread", 0, record(`"text"`))
	if got := read(t, st, "thread"); string(got[0].Data) != `"text"` {
		t.Errorf("got %s", got[0].Data)
	}
}

func record(data string) store.Record {
	return store.Record{Time: time.Now(), Kind: store.Message, Run: 1, Address: "sql/execute", Data: []byte(data)}
}

func appended(tb testing.TB, st store.Store, thread string, after int64, recs ...store.Record) {
	tb.Helper()
	if err := st.Append(tb.Context(), thread, after, recs...); err != nil {
		tb.Fatal(err)
	}
}

// read returns the records of a thread.
func read(tb testing.TB, st store.Store, thread string) (recs []store.Record) {
	tb.Helper()
	for rec, err := range st.Records(tb.Context(), thread, store.Range{}) {
		if err != nil {
			tb.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// readError returns the number and the error with which a sequence of records
// ends.
func readError(tb testing.TB, st store.Store, thread string) (seq int64, err error) {
	tb.Helper()
	for rec, err := range st.Records(tb.Context(), thread, store.Range{}) {
		if err != nil {
			return rec.Seq, err
		}
	}
	return 0, nil
}

// Equal data are sealed differently, and the records of the caller stay as they
// are.
func TestSealedForm(t *testing.T) {
	inner := new(store.InMemory)
	st := over(t, inner, newKeys(t, "a"))
	recs := []store.Record{record(`"secret"`), record(`"secret"`), {Time: time.Now(), Kind: store.Heartbeat}}
	appended(t, st, "thread", 0, recs...)
	if string(recs[0].Data) != `"secret"` || recs[0].Seq != 0 || recs[2].Data != nil {
		t.Errorf("Append changed the records of its caller: %+v", recs)
	}
	saved := read(t, inner, "thread")
	if bytes.Equal(saved[0].Data, saved[1].Data) {
		t.Error("equal data are sealed alike")
	}
	for _, rec := range saved {
		var form struct{ Key, Sealed string }
		if err := rec.Decode(&form); err != nil || form.Key != "a" || form.Sealed == "" {
			t.Errorf("record %d is %s, %v", rec.Seq, rec.Data, err)
		}
	}
	opened := read(t, st, "thread")
	if string(opened[0].Data) != `"secret"` || string(opened[1].Data) != `"secret"` || opened[2].Data != nil {
		t.Errorf("opened %+v", opened)
	}
}

// The package comment says how large sealed data are.
func TestSize(t *testing.T) {
	inner := new(store.InMemory)
	st := over(t, inner, newKeys(t, "a"))
	for after, size := range []int{2, 1 << 10, 20 << 10, 1 << 20} {
		appended(t, st, "thread", int64(after), record(`"`+strings.Repeat("x", size-2)+`"`))
	}
	for _, rec := range read(t, st, "thread") {
		saved := read(t, inner, "thread")[rec.Seq-1]
		if grown := len(saved.Data) - len(rec.Data)*4/3; grown < 85 || grown > 105 {
			t.Errorf("%d bytes became %d: %d bytes more than a third", len(rec.Data), len(saved.Data), grown)
		}
	}
}

// After a rotation, old and new records are read, and new ones have the new key.
func TestRotation(t *testing.T) {
	inner := new(store.InMemory)
	appended(t, over(t, inner, newKeys(t, "a")), "thread", 0, record(`1`), record(`2`))
	rotated := over(t, inner, newKeys(t, "a", "b"))
	appended(t, rotated, "thread", 2, record(`3`))
	appended(t, over(t, inner, newKeys(t, "b", "a")), "thread", 3, record(`4`)) // a process with older settings
	var got, ids []string
	for i, rec := range read(t, rotated, "thread") {
		got = append(got, string(rec.Data))
		saved := read(t, inner, "thread")[i]
		ids = append(ids, string(saved.Data[:10]))
	}
	if strings.Join(got, " ") != "1 2 3 4" {
		t.Errorf("got %q", got)
	}
	if want := `{"key":"a" {"key":"a" {"key":"b" {"key":"a"`; strings.Join(ids, " ") != want {
		t.Errorf("sealed with %q", ids)
	}

	// The records before the unknown key are read, and the thread can be deleted.
	shredded := over(t, inner, newKeys(t, "a"))
	seq, err := readError(t, shredded, "thread")
	keyErr, ok := errors.AsType[*sealed.KeyError](err)
	if seq != 3 || !ok || keyErr.ID != "b" || errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("number %d, %v: want a KeyError about b at number 3", seq, err)
	}
	if err := shredded.Trim(t.Context(), "thread", 4, store.Message); err != nil {
		t.Error(err)
	}
	if err := shredded.Delete(t.Context(), "thread"); err != nil || len(read(t, inner, "thread")) > 0 {
		t.Errorf("the thread was not deleted: %v", err)
	}
}

// Another key under the same id, such as a wrong setting of one process, is not
// taken for damage.
func TestOtherKey(t *testing.T) {
	inner := new(store.InMemory)
	appended(t, over(t, inner, newKeys(t, "a")), "thread", 0, record(`1`))
	wrong, err := sealed.StaticKeys("a", map[string][]byte{"a": secret("b")})
	if err != nil {
		t.Fatal(err)
	}
	seq, err := readError(t, over(t, inner, wrong), "thread")
	keyErr, ok := errors.AsType[*sealed.KeyError](err)
	if seq != 1 || !ok || keyErr.ID != "a" || errors.Is(err, store.ErrCorrupt) {
		t.Errorf("number %d, %v: want a KeyError about a", seq, err)
	}
}

// tenantKeys has a key for each tenant, and a counter of its calls.
type tenantKeys struct {
	keys  map[string][]byte
	calls int
	err   error
}

func (k *tenantKeys) CurrentKey(_ context.Context, thread string) (string, error) {
	tenant, _, _ := strings.Cut(thread, "/")
	return tenant, k.err
}

func (k *tenantKeys) Key(_ context.Context, id string) ([]byte, error) {
	k.calls++
	if secret := k.keys[id]; secret != nil {
		return secret, nil
	}
	return nil, errors.New("destroyed")
}

// A program can give each tenant a key, and destroy it.
func TestTenantKeys(t *testing.T) {
	keys := &tenantKeys{keys: map[string][]byte{"acme": secret("a"), "bell": secret("b")}}
	st := over(t, new(store.InMemory), keys)
	for _, thread := range []string{"acme/1", "bell/1"} {
		appended(t, st, thread, 0, record(`1`), record(`2`), record(`3`))
	}
	keys.calls = 0
	if read(t, st, "acme/1"); keys.calls != 1 {
		t.Errorf("a sequence of 3 records asked for its key %d times", keys.calls)
	}
	delete(keys.keys, "acme")
	if _, err := readError(t, st, "acme/1"); err == nil || errors.Is(err, store.ErrCorrupt) {
		t.Errorf("acme's thread: %v, want an error that is not about damage", err)
	}
	if got := read(t, st, "bell/1"); len(got) != 3 {
		t.Errorf("bell's thread: %v", got)
	}
}

// An append fails if there is no key for it, and then nothing is saved.
func TestNoKey(t *testing.T) {
	inner := new(store.InMemory)
	unknown := errors.New("the service does not answer")
	keys := &tenantKeys{keys: map[string][]byte{"short": secret("a")[:31]}, err: unknown}
	st := over(t, inner, keys)
	if err := st.Append(t.Context(), "acme/1", 0, record(`1`)); !errors.Is(err, unknown) {
		t.Errorf("got %v, want the error of CurrentKey", err)
	}
	keys.err = nil
	for _, thread := range []string{"acme/1", "short/1"} {
		err := st.Append(t.Context(), thread, 0, record(`1`))
		if _, ok := errors.AsType[*sealed.KeyError](err); !ok {
			t.Errorf("%s: got %v, want a KeyError", thread, err)
		}
		if got := read(t, inner, thread); len(got) > 0 {
			t.Errorf("%s: saved %v", thread, got)
		}
	}
}

// A record that is not sealed is refused.
func TestNotSealed(t *testing.T) {
	inner := new(store.InMemory)
	for after, data := range []string{`{"key":"a"}`, ``, `"text"`, `{"key":"a","sealed":1}`} {
		appended(t, inner, "thread", int64(after), record(data))
	}
	keys := newKeys(t, "a")
	seq, err := readError(t, over(t, inner, keys), "thread")
	if seq != 1 || !errors.Is(err, sealed.ErrNotSealed) || errors.Is(err, store.ErrCorrupt) {
		t.Errorf("number %d, %v: want ErrNotSealed alone", seq, err)
	}
}
