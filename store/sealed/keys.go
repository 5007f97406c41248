package sealed

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/store"
)

const keySize = 32

// Keys are the keys of a store. [StaticKeys] returns keys that do not change. An
// implementation may read them from a key management service; it should then
// keep them in memory for a while, because each append and each sequence of
// records asks for them.
//
// The methods are called concurrently. Their errors must not match those of
// package store, which the runtime takes for the state of a thread.
type Keys interface {
	// CurrentKey returns the id of the key with which new records of a thread
	// are sealed. A program that gives each tenant a key finds the tenant by the
	// id of the thread, or in ctx, which has the values of the turn's context.
	//
	// An id has 1 to 128 printable ASCII characters, without spaces, quotes and
	// backslashes. It is saved in each record. Another key needs another id.
	CurrentKey(ctx context.Context, thread string) (id string, err error)

	// Key returns the key with an id: 32 bytes from a cryptographic random
	// number generator. The caller does not change it.
	Key(ctx context.Context, id string) ([]byte, error)
}

// StaticKeys returns the given keys by their ids, with the id of the current
// one. It returns an error if there is no such key, or an id or a key is
// invalid.
func StaticKeys(current string, keys map[string][]byte) (Keys, error) {
	own := staticKeys{current: current, keys: maps.Clone(keys)}
	if _, ok := keys[current]; !ok {
		return nil, fmt.Errorf("sealed: StaticKeys: there is no key %q, which is the current one", current)
	}
	for id, secret := range keys {
		if _, err := newKey(id, secret); err != nil {
			return nil, err
		}
		own.keys[id] = slices.Clone(secret)
	}
	return own, nil
}

type staticKeys struct {
	current string
	keys    map[string][]byte
}

func (s staticKeys) CurrentKey(context.Context, string) (string, error) { return s.current, nil }

func (s staticKeys) Key(_ context.Context, id string) ([]byte, error) {
	if secret, ok := s.keys[id]; ok {
		return secret, nil
	}
	return nil, errors.New("there is no key with this id; add it, or delete the thread if the key was destroyed")
}

// A KeyError reports that a key cannot be used: [Keys] did not return it, it has
// the wrong size, or it is not the key that had this id when the record was
// sealed. It does not match [store.ErrCorrupt]: with the right key the thread can
// be read again, so the runtime does not start the thread again.
type KeyError struct {
	ID  string // of the key
	Err error
}

// Error implements error.
func (e *KeyError) Error() string {
	return fmt.Sprintf("sealed: key %.130q cannot be used: %v", e.ID, e.Err)
}

// Unwrap returns the reason.
func (e *KeyError) Unwrap() error { return e.Err }

var errOtherKey = errors.New("it is not the key that had this id when the record was sealed")

type key struct {
	id     string
	secret []byte

	// mark distinguishes keys that have the same id by mistake. It is saved in
	// each record, and derived from the key in one direction.
	mark []byte
}

const markSize = 8

// lookUp returns the key with an id. Its error is a KeyError. An id that is read
// from a record may be anything; keys get it only if it can be the id of a key.
func lookUp(ctx context.Context, keys Keys, id string) (key, error) {
	if err := checkID(id); err != nil {
		return key{}, err
	}
	secret, err := keys.Key(ctx, id)
	if err != nil {
		return key{}, &KeyError{ID: id, Err: ofKeys(err)}
	}
	return newKey(id, secret)
}

// ofKeys returns an error of [Keys]. It hides that the error matches one that
// says something of the thread, such as that of keys which are in a store
// themselves: the runtime would start the thread again.
func ofKeys(err error) error {
	for _, target := range []error{store.ErrCorrupt, store.ErrConflict, store.ErrInvalidThread, ErrNotSealed} {
		if errors.Is(err, target) {
			return errors.New(err.Error())
		}
	}
	return err
}

func checkID(id string) error {
	invalid := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }
	if id == "" || len(id) > 128 || strings.ContainsFunc(id, invalid) {
		return &KeyError{id, errors.New(
			"an id has 1 to 128 printable ASCII characters without spaces, quotes and backslashes")}
	}
	return nil
}

func newKey(id string, secret []byte) (key, error) {
	if err := checkID(id); err != nil {
		return key{}, err
	}
	if len(secret) != keySize {
		return key{}, &KeyError{id, fmt.Errorf("it has %d bytes; %d are needed", len(secret), keySize)}
	}
	mark, err := hkdf.Key(sha256.New, secret, nil, "qed sealed: mark of the key", markSize)
	if err != nil {
		return key{}, &KeyError{id, err}
	}
	return key{id, secret, mark}, nil
}
