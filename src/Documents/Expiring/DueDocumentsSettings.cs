using System.Buffers.Binary;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Expiring;

/// <summary>How a database's documents expire, or are refreshed. Layout: docs/documents-format.md, "values".</summary>
public sealed record DueDocumentsSettings
{
    private const byte Version = 1;
    private const int Bytes = 24;

    /// <summary>Nothing happens to documents that are due.</summary>
    public bool Disabled { get; init; }

    /// <summary>Seconds between the beginnings of two passes, above 0 and at most <see cref="Limits.MaxDueDocumentsInterval"/>;
    /// null: <see cref="Limits.DefaultDueDocumentsInterval"/>.</summary>
    public long? FrequencyInSec { get; init; }

    /// <summary>Documents that one pass takes at most, above 0; null: all that are due.</summary>
    public long? MaxItemsToProcess { get; init; }

    internal TimeSpan Interval => FrequencyInSec is { } seconds ? TimeSpan.FromSeconds(seconds) : Limits.DefaultDueDocumentsInterval;

    internal byte[] ToBytes()
    {
        Invariant.Require(FrequencyInSec is null || (FrequencyInSec > 0 && FrequencyInSec <= Limits.MaxDueDocumentsInterval.TotalSeconds));
        Invariant.Require(MaxItemsToProcess is null or > 0);
        byte[] bytes = new byte[Bytes];
        bytes[0] = Version;
        bytes[1] = Disabled ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(8), FrequencyInSec ?? 0);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(16), MaxItemsToProcess ?? 0);
        return bytes;
    }

    internal static DueDocumentsSettings Read(ReadOnlySpan<byte> bytes)
    {
        Invariant.Require(IsWellFormed(bytes));
        long frequency = BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]);
        long most = BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]);
        return new DueDocumentsSettings
        {
            Disabled = bytes[1] == 1,
            FrequencyInSec = frequency == 0 ? null : frequency,
            MaxItemsToProcess = most == 0 ? null : most,
        };
    }

    /// <summary>Null: the database was never configured.</summary>
    internal static DueDocumentsSettings? Read(PageTransaction transaction, DocumentDateKind kind) =>
        transaction.Catalog.TryOpenTree(Schema.ValuesTree, out var values) && values.TryGet(Schema.DatesValue(kind), out var bytes)
            ? Read(bytes)
            : null;

    internal static bool IsWellFormed(ReadOnlySpan<byte> bytes) =>
        bytes.Length == Bytes
        && bytes[0] == Version
        && bytes[1] <= 1
        && BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]) is var frequency
        && frequency >= 0
        && frequency <= Limits.MaxDueDocumentsInterval.TotalSeconds
        && BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]) >= 0;
}
