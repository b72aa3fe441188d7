// Package hashtable is a read-only table by the hashes of words. A miss, which nearly every word is, costs one load.
package hashtable
