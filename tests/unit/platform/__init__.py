"""Tests of settings, Temporal, MCP, payloads, telemetry."""
