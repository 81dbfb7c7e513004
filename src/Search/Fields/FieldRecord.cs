using System.Buffers.Binary;
using System.Text;
using Jackdaw.Storage;

namespace Jackdaw.Search.Fields;

/// <summary>A field as the tree <c>fields</c> keeps it. Layout: docs/search-format.md, "Field record".</summary>
internal struct FieldRecord
{
    public const int Bytes = 28;

    private const byte SortableFlag = 1;
    private const byte FrequenciesFlag = 2;
    private const byte PositionsFlag = 4;
    private const byte StoredFlag = 8;
    private const byte SeveralValuesFlag = 1;

    public required ushort Id { get; init; }

    public required FieldOptions Options { get; init; }

    /// <summary>Some entry had several values.</summary>
    public bool HasSeveralValues { get; set; }

    /// <summary>The number that the next new term gets; the first is 1.</summary>
    public required uint NextTermNumber { get; set; }

    /// <summary>Entries that have the field.</summary>
    public long EntryCount { get; set; }

    /// <summary>Sum of all lengths, in tokens.</summary>
    public long TotalLength { get; set; }

    public static FieldRecord Read(ReadOnlySpan<byte> stored)
    {
        bool isSound =
            stored.Length == Bytes
            && stored[2] is >= (byte)AnalyzerKind.LowerCaseKeyword and <= (byte)AnalyzerKind.Standard
            && stored[3] < 16
            && stored[4] < 2
            && !stored[5..8].ContainsAnyExcept((byte)0);
        if (!isSound)
            throw new SearchFormatException(
                $"A field record of the index is damaged: {Convert.ToHexString(stored)}. Build the index again."
            );
        return new FieldRecord
        {
            Id = BinaryPrimitives.ReadUInt16LittleEndian(stored),
            Options = new FieldOptions
            {
                Analyzer = (AnalyzerKind)stored[2],
                IsSortable = (stored[3] & SortableFlag) != 0,
                KeepsFrequencies = (stored[3] & FrequenciesFlag) != 0,
                KeepsPositions = (stored[3] & PositionsFlag) != 0,
                IsStored = (stored[3] & StoredFlag) != 0,
            },
            HasSeveralValues = (stored[4] & SeveralValuesFlag) != 0,
            NextTermNumber = BinaryPrimitives.ReadUInt32LittleEndian(stored[8..]),
            EntryCount = BinaryPrimitives.ReadInt64LittleEndian(stored[12..]),
            TotalLength = BinaryPrimitives.ReadInt64LittleEndian(stored[20..]),
        };
    }

    public readonly void Write(Span<byte> destination)
    {
        Invariant.Require(destination.Length == Bytes && NextTermNumber > 0 && EntryCount >= 0 && TotalLength >= 0);
        destination.Clear();
        BinaryPrimitives.WriteUInt16LittleEndian(destination, Id);
        destination[2] = (byte)Options.Analyzer;
        destination[3] = (byte)(
            (Options.IsSortable ? SortableFlag : 0)
            | (Options.KeepsFrequencies ? FrequenciesFlag : 0)
            | (Options.KeepsPositions ? PositionsFlag : 0)
            | (Options.IsStored ? StoredFlag : 0)
        );
        destination[4] = HasSeveralValues ? SeveralValuesFlag : (byte)0;
        BinaryPrimitives.WriteUInt32LittleEndian(destination[8..], NextTermNumber);
        BinaryPrimitives.WriteInt64LittleEndian(destination[12..], EntryCount);
        BinaryPrimitives.WriteInt64LittleEndian(destination[20..], TotalLength);
    }

    /// <summary>The field's name as its key in the tree.</summary>
    public static byte[] KeyOf(string name) => Encoding.UTF8.GetBytes(name);
}
