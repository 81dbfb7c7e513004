using Jackdaw.Storage.Transactions;

namespace Jackdaw.Simulation.Histories;

/// <summary>A reader under way, and what it has to see until it ends.</summary>
internal sealed record OpenReader(ReadTransaction Transaction, object[] State);
