using Jackdaw.Documents.Reading;

namespace Jackdaw.Simulation.Merging;

/// <summary>A reader under way, and what it has to see until it ends.</summary>
internal sealed record OpenDatabaseReader(DocumentsReader Reader, long Transaction, DatabaseState State);
