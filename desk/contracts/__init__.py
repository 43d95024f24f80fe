"""The typed models that cross a wire: payloads of workflows, published files, answers of tools."""
