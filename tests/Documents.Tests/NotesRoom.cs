using System.Text;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Rooms;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.Tests;

/// <summary>A room as another project would make one: values, a tree, and a table of notes with an index over their texts.</summary>
internal sealed class NotesRoom() : Room("notes")
{
    private const string Tree = "notes/counts";

    private static readonly TableSchema s_table = new("notes/texts");
    private static readonly TableIndex s_byText = s_table.AddIndex(
        "text",
        isUnique: true,
        static (row, _, destination) => Copy(row, destination)
    );

    public static NotesRoom Instance { get; } = new();

    public override IReadOnlyList<string> Trees => [Tree];

    public override IReadOnlyList<TableSchema> Tables => [s_table];

    /// <summary>The texts in order, by the index.</summary>
    public static string[] Texts(RoomReader reader)
    {
        var texts = new List<string>();
        if (!reader.TryOpenTable(s_table, out var table))
            return [];
        using var cursor = table.OpenCursor(s_byText);
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
            texts.Add(Encoding.UTF8.GetString(cursor.Row));
        return [.. texts];
    }

    protected internal override void Check(RoomReader reader, Action<string> report)
    {
        int counted = reader.TryOpenTree(Tree, out var tree) && tree.TryGet("all"u8, out var count) ? count[0] : 0;
        int found = Texts(reader).Length;
        if (counted != found)
            report($"counts {counted} notes, and there are {found}");
    }

    private static int Copy(ReadOnlySpan<byte> text, Span<byte> destination)
    {
        text.CopyTo(destination);
        return text.Length;
    }

    /// <summary>Adds a note, and counts it unless it is told not to; refuses an empty one after it has begun.</summary>
    public sealed class Add(string text, bool isCounted = true) : RoomOperation(Instance)
    {
        public override long SizeBytes => text.Length;

        protected override void Execute(RoomWriter writer)
        {
            var tree = writer.OpenTree(Tree);
            byte count = tree.TryGet("all"u8, out var former) ? former[0] : (byte)0;
            if (isCounted)
                tree.Put("all"u8, [(byte)(count + 1)]);
            if (text.Length == 0)
                throw new InvalidDocumentIdException("A note has a text.");
            writer.OpenTable(s_table).Insert([(byte)(count + 1)], Encoding.UTF8.GetBytes(text));
        }
    }

    /// <summary>Stores a value.</summary>
    public sealed class Store(string key, byte[] value) : RoomOperation(Instance)
    {
        public override long SizeBytes => value.Length;

        protected override void Execute(RoomWriter writer) => writer.SetValue(Encoding.UTF8.GetBytes(key), value);
    }
}
