using System.Security.Cryptography;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>An ETag over what an answer of several documents shows: their change vectors in order, a mark for each that is not
/// there.</summary>
internal sealed class ResponseEtag : IDisposable
{
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

    public void Add(ReadOnlySpan<byte> changeVector)
    {
        _hash.AppendData(changeVector);
        _hash.AppendData(";"u8);
    }

    public void AddMissing() => _hash.AppendData("-;"u8);

    /// <summary>With its quotes.</summary>
    public string Finish() => $"\"Hash-{Convert.ToBase64String(_hash.GetHashAndReset().AsSpan(0, 24))}\"";

    /// <summary>The ETag of one document, with its quotes.</summary>
    public static string Of(ReadOnlySpan<byte> changeVector) =>
        string.Create(
            changeVector.Length + 2,
            changeVector,
            static (text, vector) =>
            {
                text[0] = text[^1] = '"';
                System.Text.Encoding.ASCII.GetChars(vector, text[1..]);
            }
        );

    public void Dispose() => _hash.Dispose();
}
