"""Rows that do not fit into memory: the protocol, and rows from memory, memory maps and Parquet."""

from hyplane.out_of_core.disk import DiskBlocks
from hyplane.out_of_core.parquet import ParquetTable
from hyplane.out_of_core.rows import Block, Blocks, MemoryBlocks

__all__ = ["Block", "Blocks", "DiskBlocks", "MemoryBlocks", "ParquetTable"]
