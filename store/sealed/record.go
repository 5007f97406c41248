package sealed

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/qedkit/qed/store"
)

// Sealed data are the JSON object {"key":"ID","sealed":"TEXT"}, without any
// spaces. TEXT is the base64 encoding of the mark of the key, the salt, the nonce
// and the output of AES-GCM.
const (
	beforeID   = `{"key":"`
	beforeText = `","sealed":"`
	afterText  = `"}`

	saltSize = 16
)

var encoding = base64.RawStdEncoding.Strict()

// errTampered means that sealed data were changed, or are bound to something
// else.
var errTampered = errors.New("its sealed data were changed, or belong elsewhere")

// seal returns data in sealed form, bound to b.
func (k *key) seal(data []byte, b binding) ([]byte, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	aead, err := k.derive(salt)
	if err != nil {
		return nil, err
	}
	sealed := make([]byte, 0, markSize+saltSize+len(data)+aead.Overhead())
	sealed = append(append(sealed, k.mark...), salt...)
	sealed = aead.Seal(sealed, nil, data, b)

	size := len(beforeID) + len(k.id) + len(beforeText) + encoding.EncodedLen(len(sealed)) + len(afterText)
	form := append(make([]byte, 0, size), beforeID...)
	form = append(append(form, k.id...), beforeText...)
	form = encoding.AppendEncode(form, sealed)
	return append(form, afterText...), nil
}

// parse returns the id of the key and the text of sealed data. It reports false
// if data are not sealed.
func parse(data []byte) (id, text []byte, ok bool) {
	rest, begins := bytes.CutPrefix(data, []byte(beforeID))
	id, rest, found := bytes.Cut(rest, []byte(beforeText))
	text, ends := bytes.CutSuffix(rest, []byte(afterText))
	return id, text, begins && found && ends
}

// open returns the data that were sealed as a text and bound to b. The error is
// errTampered or a KeyError.
func (k *key) open(text []byte, b binding) ([]byte, error) {
	sealed, err := encoding.AppendDecode(nil, text)
	if err != nil || len(sealed) < markSize+saltSize {
		return nil, errTampered
	}
	mark, sealed := sealed[:markSize], sealed[markSize:]
	if !bytes.Equal(mark, k.mark) {
		return nil, &KeyError{k.id, errOtherKey}
	}
	salt, sealed := sealed[:saltSize], sealed[saltSize:]
	aead, err := k.derive(salt)
	if err != nil {
		return nil, err
	}
	data, err := aead.Open(sealed[:0], nil, sealed, b)
	if err != nil {
		return nil, errTampered
	}
	if len(data) == 0 {
		return nil, nil
	}
	return data, nil
}

// derive returns the cipher for a salt. It makes random nonces.
func (k *key) derive(salt []byte) (cipher.AEAD, error) {
	secret, err := hkdf.Key(sha256.New, k.secret, salt, "qed sealed: data", keySize)
	if err != nil {
		return nil, &KeyError{k.id, err}
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, &KeyError{k.id, err}
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// A binding is the associated data of what is sealed.
type binding []byte

// recordBinding binds the data of a record to its other fields. Its Seq and Time
// are those with which it is read.
func recordBinding(thread string, rec *store.Record) binding {
	return bind([]string{"record", thread, string(rec.Kind), rec.Address}, rec.Seq, rec.Run, rec.Time.UnixMicro())
}

// titleBinding binds the title of a thread to its id and its owner.
func titleBinding(thread string, h *store.Header) binding {
	return bind([]string{"title", thread, h.User, h.Tenant})
}

// bind encodes texts and numbers. The lengths keep the texts apart.
func bind(texts []string, numbers ...int64) (b binding) {
	for _, text := range texts {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	for _, number := range numbers {
		b = binary.AppendVarint(b, number)
	}
	return b
}
