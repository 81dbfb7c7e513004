using System.Globalization;
using System.Text;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>A million entries: totals of 900,000 distinct numbers, one of ten states, two numbers in an array, a name.</summary>
public sealed class MillionEntries : IDisposable
{
    public const int Count = 1_000_000;
    public const int DistinctTotals = 900_000;

    private const int BatchEntries = 100_000;

    private readonly IndexScene _scene = new();

    public MillionEntries()
    {
        var batch = _scene.Batch;
        byte[] text = new byte[32];
        for (int i = 0; i < Count; i++)
        {
            batch.BeginSource(Utf8($"orders/{i:D7}", text));
            batch.BeginEntry();
            batch.AddNumber(batch.Field("Total", new FieldOptions()), new SearchNumber(TotalOf(i)));
            batch.AddText(batch.Field("State", new FieldOptions()), Utf8($"state {i % 10}", text));
            batch.AddNumber(batch.Field("Lines", new FieldOptions()), new SearchNumber(i % 1000));
            batch.AddNumber(batch.Field("Lines", new FieldOptions()), new SearchNumber(i % 1000 + 1));
            batch.AddText(batch.Field("Name", new FieldOptions { IsSortable = false }), Utf8($"name {i}", text));
            if (i % BatchEntries == BatchEntries - 1)
                _scene.Commit();
        }
    }

    internal IndexScene Scene => _scene;

    public void Dispose() => _scene.Dispose();

    /// <summary>Spread, so that neighbours in the order are not neighbours by id.</summary>
    public static double TotalOf(int entry) => (long)(entry % DistinctTotals) * 7_919 % DistinctTotals + 0.5;

    private static ReadOnlySpan<byte> Utf8(FormattableString value, byte[] room)
    {
        string text = value.ToString(CultureInfo.InvariantCulture);
        return room.AsSpan(0, Encoding.UTF8.GetBytes(text, room));
    }
}
