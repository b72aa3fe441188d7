// Package topics plans and creates topics, prints access rules, and checks and registers schemas.
package topics
