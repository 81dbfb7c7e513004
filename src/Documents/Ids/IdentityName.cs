using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.Ids;

/// <summary>Names of identities: lower case, ending in <c>|</c>.</summary>
internal static class IdentityName
{
    public static byte[] Parse(string name)
    {
        if (string.IsNullOrEmpty(name) || name == "|")
            throw new InvalidDocumentIdException("An identity needs a name.");
        string full = name.EndsWith('|') ? name : name + "|";
        byte[] utf8 = new byte[Limits.MaxIdBytes];
        var id = utf8.AsSpan(0, DocumentId.WriteUtf8(full, utf8));
        DocumentId.Validate(id);
        return DocumentId.Lower(id)!;
    }
}
