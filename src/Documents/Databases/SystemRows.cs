using System.Buffers.Binary;
using System.Text;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents;

/// <summary>
/// Rows that another project keeps in the environment <c>System</c>, in a tree of its own. Thread-safe. A change is atomic, and
/// durable when its task ends; changes take turns with each other and with those of the catalogue of databases. Layout:
/// docs/documents-format.md, "The trees of the catalogue".
/// </summary>
public sealed class SystemRows
{
    private readonly Catalogue _catalogue;
    private readonly SemaphoreSlim _gate;
    private readonly string _tree;
    private readonly byte[] _formatKey;
    private readonly int _format;

    /// <exception cref="Storage.Errors.UnsupportedFormatException">The rows that are there have another format.</exception>
    internal SystemRows(Catalogue catalogue, SemaphoreSlim gate, string tree, int format)
    {
        _catalogue = catalogue;
        _gate = gate;
        _tree = tree;
        _format = format;
        _formatKey = Encoding.UTF8.GetBytes($"{tree}/format");
        catalogue.RequireFormat(tree, _formatKey, format);
    }

    /// <summary>Receives a row. The bytes are valid until it returns.</summary>
    public delegate void RowReader(ReadOnlySpan<byte> key, ReadOnlySpan<byte> row);

    /// <summary>Reads every row, in the order of their keys.</summary>
    public void ReadAll(RowReader read)
    {
        ArgumentNullException.ThrowIfNull(read);
        _catalogue.ReadTree(
            _tree,
            tree =>
            {
                using var cursor = tree.OpenCursor();
                for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
                    read(cursor.Key, cursor.Value);
            }
        );
    }

    /// <summary>Returns a copy of a row; null when there is none.</summary>
    public byte[]? Find(byte[] key)
    {
        byte[]? row = null;
        _catalogue.ReadTree(_tree, tree => row = tree.TryGet(key, out var found) ? found.ToArray() : null);
        return row;
    }

    /// <summary>Stores a row in the place of the one with the same key, if there is one.</summary>
    /// <exception cref="Storage.Errors.StorageException">Nothing is stored, or, with
    /// <see cref="Storage.Errors.CommitOutcomeUnknownException"/>, the next start finds out.</exception>
    public Task PutAsync(byte[] key, byte[] row) => ChangeAsync(writer => writer.Catalog.OpenTree(_tree).Put(key, row));

    /// <summary>Removes a row, which must be there.</summary>
    /// <exception cref="Storage.Errors.StorageException">As of <see cref="PutAsync"/>.</exception>
    public Task RemoveAsync(byte[] key) => ChangeAsync(writer => Invariant.Require(writer.Catalog.OpenTree(_tree).Delete(key)));

    private async Task ChangeAsync(Action<WriteTransaction> change)
    {
        await _gate.WaitAsync().ConfigureAwait(false);
        try
        {
            _catalogue.Change(writer =>
            {
                var values = writer.Catalog.OpenTree(Schema.ValuesTree);
                BinaryPrimitives.WriteInt32LittleEndian(values.Reserve(_formatKey, sizeof(int), out _), _format);
                change(writer);
            });
        }
        finally
        {
            _gate.Release();
        }
    }
}
